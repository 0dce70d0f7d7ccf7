import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Writes a class whose constructor calls that of its superclass behind its own `return`, as obfuscators do.
 */
public class Shuffled implements Opcodes {
    public static void main(String[] args) throws Exception {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_FRAMES);
        writer.visit(V1_8, ACC_PUBLIC, "Jumps", null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(ACC_PUBLIC, "<init>", "()V", null, null);
        code.visitCode();
        Label call = new Label();
        Label rest = new Label();
        code.visitJumpInsn(GOTO, call);
        code.visitLabel(rest);
        code.visitInsn(RETURN);
        code.visitLabel(call);
        code.visitVarInsn(ALOAD, 0);
        code.visitMethodInsn(INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
        code.visitJumpInsn(GOTO, rest);
        code.visitMaxs(0, 0);
        code.visitEnd();
        writer.visitEnd();
        Files.write(Path.of(args[0]), writer.toByteArray());
    }
}
