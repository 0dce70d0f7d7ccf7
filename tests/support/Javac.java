import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Compiles for tests in one VM, which is warm after the first time. Each input line has the arguments of
 * {@code javac}, separated by tabs. Each output line has the exit code, a tab, and the compiler's output with
 * U+001F for line ends.
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
