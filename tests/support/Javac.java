import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles for tests in one VM, which is warm after the first time. Each line read has the arguments of a
 * {@code javac}, with tabs between them. The answer is a line: the exit code, a tab, and what the compiler
 * wrote, with U+001F for line ends.
 */
class Javac {
    public static void main(String[] args) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            ByteArrayOutputStream written = new ByteArrayOutputStream();
            int code = compiler.run(null, written, written, line.split("\t"));
            System.out.println(code + "\t" + written.toString().replace('\n', '\u001f'));
        }
    }
}
