import java.nio.file.Files;
import java.nio.file.Path;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Writes a class of version 46 whose method calls a subroutine twice, as compilers made of `finally` then.
 */
public class Old implements Opcodes {
    public static void main(String[] args) throws Exception {
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        writer.visit(V1_2, ACC_PUBLIC, "Subroutine", null, "java/lang/Object", null);
        MethodVisitor code = writer.visitMethod(ACC_PUBLIC | ACC_STATIC, "twice", "(I)I", null, null);
        code.visitCode();
        Label subroutine = new Label();
        Label end = new Label();
        Label first = new Label();
        code.visitLabel(first);
        code.visitJumpInsn(JSR, subroutine);
        code.visitVarInsn(ILOAD, 0);
        code.visitJumpInsn(IFLT, end);
        code.visitJumpInsn(JSR, subroutine);
        code.visitLabel(end);
        code.visitVarInsn(ILOAD, 0);
        code.visitInsn(IRETURN);
        code.visitLabel(subroutine);
        code.visitVarInsn(ASTORE, 1);
        code.visitIincInsn(0, 10);
        code.visitVarInsn(RET, 1);
        Label last = new Label();
        code.visitLabel(last);
        code.visitLocalVariable("x", "I", null, first, last, 0);
        code.visitMaxs(0, 0);
        code.visitEnd();
        writer.visitEnd();
        Files.write(Path.of(args[0]), writer.toByteArray());
    }
}
