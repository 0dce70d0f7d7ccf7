import java.io.PrintStream;
import java.lang.reflect.Modifier;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs tests of JUnit 3 and 4. {@code One4 CLASS METHOD} runs one test, and its exit code is 1 if the test
 * fails. {@code One4 --all CLASS...} runs all tests of some classes and prints a line for each test.
 */
public class One4 {
    public static void main(String[] args) throws Exception {
        if (args[0].equals("--all")) {
            all(args);
            return;
        }
        Class<?> type = Class.forName(args[0]);
        Result result = new JUnitCore().run(Request.method(type, args[1]));
        for (Failure failure : result.getFailures()) {
            System.err.println(failure.getTrace());
        }
        boolean missing = result.getRunCount() == 0;
        if (missing) {
            System.err.println(args[0] + " has no test " + args[1]);
        }
        System.exit(missing ? 2 : result.wasSuccessful() ? 0 : 1);
    }

    private static void all(String[] args) {
        PrintStream out = System.out;
        for (int i = 1; i < args.length; i++) {
            String name = args[i];
            out.println("class " + name);
            out.flush();
            try {
                Class<?> type = Class.forName(name);
                if (Modifier.isAbstract(type.getModifiers()) || type.isInterface()) {
                    continue;
                }
                JUnitCore core = new JUnitCore();
                core.addListener(new Printed(out, name));
                core.run(Request.aClass(type));
            } catch (Throwable e) {
                out.println("error " + name + " " + e);
            }
        }
        out.println("done");
        out.flush();
        System.exit(0);
    }

    private static class Printed extends RunListener {
        private final PrintStream out;
        private final String type;
        private boolean failed;
        private long started;

        Printed(PrintStream out, String type) {
            this.out = out;
            this.type = type;
        }

        @Override
        public void testStarted(Description test) {
            begin();
            failed = false;
            started = System.nanoTime();
        }

        @Override
        public void testFailure(Failure failure) {
            failed = true;
        }

        @Override
        public void testAssumptionFailure(Failure failure) {
            failed = true;
        }

        @Override
        public void testFinished(Description test) {
            if (failed) {
                failed();
            } else {
                passed();
            }
            long took = (System.nanoTime() - started) / 1_000_000;
            boolean own = type.equals(test.getClassName());
            if (own && test.getMethodName() != null) {
                String how = failed ? "failed " : "passed ";
                out.println(how + type + " " + test.getMethodName() + " " + took);
                out.flush();
            }
        }

        // A recording shows by these calls where a test begins, and how it ends.
        private static void begin() {
        }

        private static void failed() {
        }

        private static void passed() {
        }
    }
}
