import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles many programs in one VM. Each input line is a folder with Java files; "yes" or "no" says whether
 * they compile.
 */
class Compile {
    public static void main(String[] args) throws IOException {
        List<String> folders = new BufferedReader(new InputStreamReader(System.in)).lines().toList();
        folders.parallelStream().map(Compile::compiles).forEachOrdered(System.out::println);
    }

    private static String compiles(String folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> sources = new ArrayList<>();
            for (String name : new File(folder).list()) {
                if (name.endsWith(".java")) {
                    sources.add(folder + "/" + name);
                }
            }
            List<String> options = Arrays.asList("-g", "-proc:none", "-nowarn", "-d", folder, "-cp", folder);
            boolean done = compiler.getTask(new StringWriter(), files, null, options, null,
                files.getJavaFileObjectsFromStrings(sources)).call();
            return done ? "yes" : "no";
        } catch (IOException e) {
            return "no";
        }
    }
}
