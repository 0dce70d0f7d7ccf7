import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.Optional;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests of JUnit 5. {@code One5 CLASS METHOD} runs one test, and its exit code is 1 if the test fails.
 * {@code One5 --all CLASS...} runs all tests of some classes and prints a line for each test.
 */
public class One5 {
    public static void main(String[] args) {
        Launcher launcher = LauncherFactory.create();
        if (args[0].equals("--all")) {
            all(launcher, args);
            return;
        }
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectMethod(args[0], args[1])).build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        launcher.execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.err, true));
        boolean missing = summary.getTestsStartedCount() == 0;
        if (missing) {
            System.err.println(args[0] + " has no test " + args[1]);
        }
        System.exit(missing ? 2 : summary.getTotalFailureCount() == 0 ? 0 : 1);
    }

    private static void all(Launcher launcher, String[] args) {
        PrintStream out = System.out;
        for (int i = 1; i < args.length; i++) {
            out.println("class " + args[i]);
            out.flush();
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(args[i])).build();
            launcher.execute(request, new Printed(out));
        }
        out.println("done");
        out.flush();
        System.exit(0);
    }

    private static class Printed implements TestExecutionListener {
        private final PrintStream out;
        private long started;

        Printed(PrintStream out) {
            this.out = out;
        }

        @Override
        public void executionStarted(TestIdentifier test) {
            if (test.isTest()) {
                begin();
                started = System.nanoTime();
            }
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            Optional<TestSource> source = test.getSource();
            boolean passed = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
            if (test.isTest() && passed) {
                passed();
            } else if (test.isTest()) {
                failed();
            }
            if (!test.isTest() || !source.isPresent() || !(source.get() instanceof MethodSource)) {
                return;
            }
            MethodSource method = (MethodSource) source.get();
            // A single test is selected by its name alone.
            if (!method.getMethodParameterTypes().isEmpty()) {
                return;
            }
            long took = (System.nanoTime() - started) / 1_000_000;
            String name = method.getClassName() + " " + method.getMethodName();
            out.println((passed ? "passed " : "failed ") + name + " " + took);
            out.flush();
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
