package querypoint.runner;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles the file of {@code java FILE} into a folder, by the rules of the launcher, which compiles it in
 * memory: the file may have any name, whatever its public class is called, and its first line may begin
 * with {@code #!}. From Java 22 on, classes may come from other files beside it, unless it begins so, and
 * their sources come before class files.
 */
public final class CompileSource {
    /** The first version whose launcher compiles several files. */
    private static final int SEVERAL_FILES = 22;

    private CompileSource() {
    }

    /** The arguments are the file, and the options of the compiler. */
    public static void main(String[] args) throws IOException {
        System.exit(compile(args, Runtime.version().feature()));
    }

    /** Compiles as the launcher of a version does, and returns the exit code. */
    static int compile(String[] args, int version) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            System.err.println("this Java runtime has no compiler (the module jdk.compiler)");
            return 2;
        }
        Path file = Paths.get(args[0]);
        Source source = new Source(file);
        List<String> options = new ArrayList<>(Arrays.asList(args).subList(1, args.length));
        if (options.contains("--enable-preview") && !options.contains("--release")) {
            options.addAll(List.of("--release", String.valueOf(version)));
        }
        if (version >= SEVERAL_FILES) {
            String root = source.isScript ? "" : root(compiler, file, source).toString();
            options.addAll(List.of("-sourcepath", root, "-Xprefer:source"));
        }
        boolean isCompiled = compiler.getTask(null, null, null, options, null, List.of(source)).call();
        return isCompiled ? 0 : 1;
    }

    /** The folder below which the packages of the file's program lie. */
    private static Path root(JavaCompiler compiler, Path file, JavaFileObject source) throws IOException {
        JavacTask task = (JavacTask) compiler.getTask(null, null, d -> { }, null, null, List.of(source));
        ExpressionTree name = task.parse().iterator().next().getPackageName();
        Path folder = file.toAbsolutePath().normalize().getParent();
        Path below = Paths.get(name == null ? "" : name.toString().replace('.', '/'));
        Path root = folder;
        for (int i = 0; name != null && root != null && i < below.getNameCount(); i++) {
            root = root.getParent();
        }
        return root != null && folder.endsWith(below) ? root : folder;
    }

    /** The file of the launcher. */
    private static final class Source extends SimpleJavaFileObject {
        private final Path file;
        private final String text;
        /** Whether the first line says what runs the file. */
        private final boolean isScript;

        Source(Path file) throws IOException {
            super(file.toUri(), Kind.SOURCE);
            this.file = file;
            String all = new String(Files.readAllBytes(file), Charset.defaultCharset());
            // The line stays, so that the others keep their numbers.
            this.isScript = all.startsWith("#!");
            this.text = isScript ? "//" + all.substring(2) : all;
        }

        @Override
        public String getName() {
            return file.toString();
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return kind == Kind.SOURCE;
        }
    }
}
