import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Inserts calls of {@link Word} at the entry and at each return of all methods of jars and folders of
 * classes, before they run. Every recorder of calls costs more: this one knows no values, threads or
 * exceptions, and nobody reads it.
 */
public class Least {
    /** The classes that do the work, or measure something else. */
    private static final Set<String> LEFT = Set.of("Least.class", "Word.class", "Tracer.class");
    private static int sites;

    public static void main(String[] arguments) throws IOException {
        Path to = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i++) {
            Path from = Path.of(arguments[i]);
            if (Files.isDirectory(from)) {
                weave(from, to);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(from)) {
                    weave(jar.getPath("/"), to);
                }
            }
        }
    }

    private static void weave(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from, from.getNameCount() == 0 ? Integer.MAX_VALUE : 1)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = from.relativize(file).toString();
                if (Files.isDirectory(file) || name.startsWith("META-INF") || LEFT.contains(Path.of(name).getFileName().toString())) {
                    continue;
                }
                byte[] bytes = Files.readAllBytes(file);
                Path woven = to.resolve(name);
                Files.createDirectories(woven.getParent());
                Files.write(woven, name.endsWith(".class") ? weave(bytes) : bytes);
            }
        }
    }

    private static byte[] weave(byte[] bytes) {
        ClassReader reader = new ClassReader(bytes);
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(new ClassVisitor(Opcodes.ASM9, writer) {
            @Override
            public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
                MethodVisitor method = super.visitMethod(access, name, descriptor, signature, exceptions);
                int site = sites++;
                return new MethodVisitor(Opcodes.ASM9, method) {
                    @Override
                    public void visitCode() {
                        super.visitCode();
                        word();
                    }

                    @Override
                    public void visitInsn(int opcode) {
                        if (opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
                            word();
                        }
                        super.visitInsn(opcode);
                    }

                    private void word() {
                        super.visitLdcInsn(site);
                        super.visitMethodInsn(Opcodes.INVOKESTATIC, "Word", "put", "(I)V", false);
                    }
                };
            }
        }, 0);
        return writer.toByteArray();
    }
}
