package querypoint.runner;

import java.io.PrintStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Runs one test, or all tests of a class, by the JUnit or TestNG of the program's class path:
 * {@code CLASS[#METHOD]}. Of several classes, it runs the tests of each, and passes over those without tests.
 *
 * <p>Prints each failure without the frames of the framework, which it calls by reflection: it compiles
 * without any.
 */
public final class RunTest {
    /** Exit code if a test fails. */
    private static final int FAILED = 1;
    /** Exit code if there is no such test, or nothing that runs it. */
    private static final int NOT_RUN = 2;

    /** Packages whose frames are left out of a printed stack. */
    private static final String[] HARNESS = {
        "org.junit.", "junit.", "org.testng.", "org.opentest4j.", "org.hamcrest.", "org.assertj.", "querypoint.runner.",
        "java.lang.reflect.", "jdk.internal.reflect.", "java.util.stream.", "java.util.ArrayList.forEach",
        "java.util.concurrent.ForkJoin", "sun.reflect.",
    };

    private final ClassLoader loader = ClassLoader.getSystemClassLoader();
    private final String className;
    /** Name of the method; null for all tests of the class. */
    private final String methodName;
    /** Notes what each test covers; null if the VM does not note that. */
    private final Class<?> cover = coverage();
    /** Binary name of the class whose method is chosen for TestNG. */
    private String chosenClass;
    private int ran;
    private int failed;

    private RunTest(String test) {
        int hash = test.indexOf('#');
        className = hash < 0 ? test : test.substring(0, hash);
        methodName = hash < 0 ? null : test.substring(hash + 1);
    }

    /** What notes coverage in this VM, if anything does. */
    private static Class<?> coverage() {
        try {
            return Class.forName("java.lang.QuerypointCover", true, null);
        } catch (ClassNotFoundException none) {
            return null;
        }
    }

    /** What is covered from here on is of a test. */
    private void begin() throws ReflectiveOperationException {
        cover.getMethod("begin").invoke(null);
    }

    /** A test has ended. */
    private void end(String name, boolean passed) throws ReflectiveOperationException {
        cover.getMethod("end", String.class, boolean.class).invoke(null, name, passed);
    }

    /** Why a test cannot be run. */
    private static final class NoTest extends Exception {
        private static final long serialVersionUID = 1;

        NoTest(String message) {
            super(message, null, false, false);
        }
    }

    public static void main(String[] arguments) {
        int code;
        try {
            if (arguments.length == 0) {
                throw new NoTest("expected CLASS or CLASS#METHOD, or several classes");
            }
            code = arguments.length == 1 ? run(arguments[0]) : runAll(arguments);
        } catch (NoTest why) {
            System.err.println("no test was run: " + why.getMessage());
            code = NOT_RUN;
        } catch (InvocationTargetException wrapped) {
            System.err.println("no test was run: the test framework failed");
            print(wrapped.getCause(), System.err);
            code = NOT_RUN;
        } catch (ReflectiveOperationException | LinkageError unknown) {
            System.err.println("no test was run: this version of the test framework is not supported: " + unknown);
            code = NOT_RUN;
        }
        System.out.flush();
        System.err.flush();
        // Threads that a test left behind do not keep the VM alive.
        System.exit(code);
    }

    /** Runs one test or class. */
    private static int run(String test) throws NoTest, ReflectiveOperationException {
        RunTest run = new RunTest(test);
        run.run();
        return run.failed > 0 ? FAILED : 0;
    }

    /** Runs the tests of several classes, of which some may be no tests, such as their superclasses. */
    private static int runAll(String[] classes) throws NoTest {
        int code = NOT_RUN;
        for (String test : classes) {
            try {
                int ended = run(test);
                code = code == NOT_RUN ? ended : Math.max(code, ended);
            } catch (NoTest | ReflectiveOperationException | LinkageError none) {
                // The other classes have tests.
            }
        }
        if (code == NOT_RUN) {
            throw new NoTest("none of the classes has tests");
        }
        return code;
    }

    private void run() throws NoTest, ReflectiveOperationException {
        Class<?> test = testClass();
        if (isOfPlatform(test)) {
            if (optional("org.junit.platform.launcher.core.LauncherFactory") == null) {
                throw new NoTest("`" + className + "` is a test of JUnit 5, whose launcher is not on the class path: "
                    + "add junit-platform-launcher, and junit-jupiter-engine if it is missing too");
            }
            runByPlatform(test);
        } else if (isOfTestNg(test) && optional("org.testng.TestNG") != null) {
            runByTestNg(test);
        } else if (optional("org.junit.runner.JUnitCore") != null) {
            runByJUnit4(test);
        } else if (optional("junit.framework.TestCase") != null) {
            runByJUnit3(test);
        } else if (optional("org.junit.platform.launcher.core.LauncherFactory") != null) {
            runByPlatform(test);
        } else {
            throw new NoTest("there is no test framework on the class path (JUnit 3, 4, or 5 with "
                + "junit-platform-launcher, or TestNG)");
        }
        if (ran == 0) {
            throw new NoTest(methodName == null
                ? "`" + className + "` has no tests"
                : "`" + className + "` has no test `" + methodName + "`" + tests(test));
        }
    }

    /** The class of the test. A nested class may be written with a dot. */
    private Class<?> testClass() throws NoTest {
        String name = className;
        while (true) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException missing) {
                int dot = name.lastIndexOf('.');
                if (dot < 0) {
                    throw new NoTest("there is no class `" + className + "` on the class path");
                }
                name = name.substring(0, dot) + '$' + name.substring(dot + 1);
            } catch (LinkageError broken) {
                throw new NoTest("the class `" + className + "` cannot be loaded: " + broken);
            }
        }
    }

    /** A class that may be missing. */
    private Class<?> optional(String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException | LinkageError missing) {
            return null;
        }
    }

    private static Object call(Object object, String method, Object... arguments)
            throws ReflectiveOperationException {
        for (Class<?> type : typesOf(object.getClass())) {
            for (Method candidate : type.getMethods()) {
                // A method of a class that is not public can be called only by its declaration elsewhere.
                boolean isOpen = Modifier.isPublic(candidate.getDeclaringClass().getModifiers());
                if (isOpen && fits(candidate, method, arguments)) {
                    return candidate.invoke(object, arguments);
                }
            }
        }
        throw new NoSuchMethodException(object.getClass().getName() + "." + method);
    }

    private static Object callStatic(Class<?> type, String method, Object... arguments)
            throws ReflectiveOperationException {
        for (Method candidate : type.getMethods()) {
            if (Modifier.isStatic(candidate.getModifiers()) && fits(candidate, method, arguments)) {
                return candidate.invoke(null, arguments);
            }
        }
        throw new NoSuchMethodException(type.getName() + "." + method);
    }

    private static boolean fits(Method candidate, String name, Object[] arguments) {
        Class<?>[] types = candidate.getParameterTypes();
        if (!candidate.getName().equals(name) || types.length != arguments.length) {
            return false;
        }
        for (int at = 0; at < types.length; at++) {
            if (arguments[at] != null && !types[at].isInstance(arguments[at])) {
                return false;
            }
        }
        return true;
    }

    /** A class and its supertypes. */
    private static List<Class<?>> typesOf(Class<?> type) {
        List<Class<?>> all = new ArrayList<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            all.add(at);
            Collections.addAll(all, at.getInterfaces());
        }
        for (int at = 0; at < all.size(); at++) {
            for (Class<?> above : all.get(at).getInterfaces()) {
                if (!all.contains(above)) {
                    all.add(above);
                }
            }
        }
        return all;
    }

    /** The methods that a class declares or inherits, those of the class first. */
    private static List<Method> methods(Class<?> type) {
        List<Method> all = new ArrayList<>();
        for (Class<?> at : typesOf(type)) {
            if (at != Object.class) {
                Collections.addAll(all, at.getDeclaredMethods());
            }
        }
        return all;
    }

    /** Whether a class has tests of JUnit 5. */
    private static boolean isOfPlatform(Class<?> test) {
        for (Method method : methods(test)) {
            if (isTestable(method.getAnnotations(), new HashSet<>())) {
                return true;
            }
        }
        for (Class<?> inner : test.getDeclaredClasses()) {
            for (Annotation annotation : inner.getAnnotations()) {
                if (annotation.annotationType().getName().equals("org.junit.jupiter.api.Nested")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isTestable(Annotation[] annotations, Set<Class<?>> seen) {
        for (Annotation annotation : annotations) {
            Class<?> type = annotation.annotationType();
            if (type.getName().equals("org.junit.platform.commons.annotation.Testable")
                    || seen.add(type) && isTestable(type.getAnnotations(), seen)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a class, one that it extends, or one of their methods has an annotation of TestNG. */
    private static boolean isOfTestNg(Class<?> test) {
        List<Annotation> all = new ArrayList<>();
        for (Class<?> type : typesOf(test)) {
            Collections.addAll(all, type.getAnnotations());
        }
        for (Method method : methods(test)) {
            Collections.addAll(all, method.getAnnotations());
        }
        for (Annotation annotation : all) {
            if (annotation.annotationType().getName().startsWith("org.testng.annotations.")) {
                return true;
            }
        }
        return false;
    }

    /** The tests of a class, for a message. */
    private static String tests(Class<?> test) {
        List<String> names = new ArrayList<>();
        for (Method method : methods(test)) {
            boolean isTest = method.getName().startsWith("test");
            for (Annotation annotation : method.getAnnotations()) {
                isTest |= annotation.annotationType().getSimpleName().endsWith("Test");
            }
            if (isTest && !names.contains(method.getName())) {
                names.add(method.getName());
            }
        }
        Collections.sort(names);
        return names.isEmpty() ? "" : ", but has " + String.join(", ", names);
    }

    private void runByPlatform(Class<?> test) throws NoTest, ReflectiveOperationException {
        Class<?> selectors = loader.loadClass("org.junit.platform.engine.discovery.DiscoverySelectors");
        Class<?> selectorType = loader.loadClass("org.junit.platform.engine.DiscoverySelector");
        List<Object> chosen = new ArrayList<>();
        if (methodName == null) {
            chosen.add(callStatic(selectors, "selectClass", test));
        } else {
            for (Method method : methods(test)) {
                if (method.getName().equals(methodName) && isTestable(method.getAnnotations(), new HashSet<>())) {
                    chosen.add(callStatic(selectors, "selectMethod", test, method));
                }
            }
        }
        if (chosen.isEmpty()) {
            return;
        }
        Object array = Array.newInstance(selectorType, chosen.size());
        for (int at = 0; at < chosen.size(); at++) {
            Array.set(array, at, chosen.get(at));
        }
        Class<?> builderType = loader.loadClass("org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder");
        Object builder = callStatic(builderType, "request");
        builder = call(builder, "selectors", array);
        Object request = call(builder, "build");
        Object launcher = callStatic(loader.loadClass("org.junit.platform.launcher.core.LauncherFactory"), "create");
        Class<?> listenerType = loader.loadClass("org.junit.platform.launcher.TestExecutionListener");
        Object listener = loader.loadClass("org.junit.platform.launcher.listeners.SummaryGeneratingListener")
            .getConstructor().newInstance();
        Object listeners = Array.newInstance(listenerType, cover == null ? 1 : 2);
        Array.set(listeners, 0, listener);
        if (cover != null) {
            Array.set(listeners, 1, Proxy.newProxyInstance(loader, new Class<?>[] {listenerType}, this::heard));
        }
        call(launcher, "execute", request, listeners);
        Object summary = call(listener, "getSummary");
        ran = (int) (long) (Long) call(summary, "getTestsFoundCount");
        for (Object failure : (List<?>) call(summary, "getFailures")) {
            // A container, such as a class whose @BeforeAll fails, counts too.
            ran = Math.max(ran, 1);
            Object name = call(call(failure, "getTestIdentifier"), "getDisplayName");
            failed(String.valueOf(name), (Throwable) call(failure, "getException"));
        }
    }

    /** The platform tells that something begins or ends; tests are told from containers of tests. */
    private Object heard(Object proxy, Method method, Object[] arguments) throws ReflectiveOperationException {
        switch (method.getName()) {
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "coverage";
            case "executionStarted":
                if ((Boolean) call(arguments[0], "isTest")) {
                    begin();
                }
                return null;
            case "executionFinished":
                if ((Boolean) call(arguments[0], "isTest")) {
                    String status = String.valueOf(call(arguments[1], "getStatus"));
                    end(String.valueOf(call(arguments[0], "getDisplayName")), status.equals("SUCCESSFUL"));
                }
                return null;
            default:
                return null;
        }
    }

    private void runByTestNg(Class<?> test) throws ReflectiveOperationException {
        // TestNG takes the name of a method that does not exist for all methods.
        if (methodName != null && methods(test).stream().noneMatch(method -> method.getName().equals(methodName))) {
            return;
        }
        chosenClass = test.getName();
        // A suite of one class, as TestNG makes for itself; with a method, only that one.
        Class<?> suiteType = loader.loadClass("org.testng.xml.XmlSuite");
        Class<?> testType = loader.loadClass("org.testng.xml.XmlTest");
        Object suite = suiteType.getConstructor().newInstance();
        call(suite, "setName", className);
        Object part = testType.getConstructor(suiteType).newInstance(suite);
        call(part, "setName", className);
        Object chosen = loader.loadClass("org.testng.xml.XmlClass").getConstructor(Class.class).newInstance(test);
        if (methodName != null) {
            Class<?> included = loader.loadClass("org.testng.xml.XmlInclude");
            Object method = included.getConstructor(String.class).newInstance(methodName);
            call(chosen, "setIncludedMethods", new ArrayList<>(Collections.singletonList(method)));
        }
        call(part, "setXmlClasses", new ArrayList<>(Collections.singletonList(chosen)));
        Class<?> type = loader.loadClass("org.testng.TestNG");
        // Without the listeners that write reports into the program's folder.
        Object testNg = type.getConstructor(boolean.class).newInstance(false);
        type.getMethod("setVerbose", int.class).invoke(testNg, 0);
        call(testNg, "setXmlSuites", new ArrayList<>(Collections.singletonList(suite)));
        Class<?>[] heard = {
            loader.loadClass("org.testng.ITestListener"), loader.loadClass("org.testng.IConfigurationListener"),
        };
        call(testNg, "addListener", Proxy.newProxyInstance(loader, heard, this::heardOfTestNg));
        call(testNg, "run");
    }

    /** TestNG tells that a test begins or ends, or that what prepares tests has failed. */
    private Object heardOfTestNg(Object proxy, Method method, Object[] arguments) throws ReflectiveOperationException {
        boolean isTest = false;
        switch (method.getName()) {
            case "equals":
                return proxy == arguments[0];
            case "hashCode":
                return System.identityHashCode(proxy);
            case "toString":
                return "results";
            case "onTestStart":
                ran++;
                if (cover != null) {
                    begin();
                }
                return null;
            case "onTestSuccess":
            case "onTestFailure":
            case "onTestSkipped":
            case "onTestFailedButWithinSuccessPercentage":
                isTest = true;
                break;
            case "onConfigurationFailure":
                Class<?> prepared = (Class<?>) call(call(arguments[0], "getTestClass"), "getRealClass");
                // TestNG prepares nested classes even if only one method is chosen.
                if (methodName != null && !prepared.getName().equals(chosenClass)) {
                    return null;
                }
                break;
            default:
                return null;
        }
        Object name = call(arguments[0], "getName");
        boolean fails = method.getName().endsWith("Failure");
        if (isTest && cover != null) {
            end(String.valueOf(name), method.getName().equals("onTestSuccess"));
        }
        // Newer versions announce a failure of `@BeforeMethod` twice: with the test too.
        if (fails && arguments.length == 1) {
            ran = Math.max(ran, 1);
            failed(String.valueOf(name), (Throwable) call(arguments[0], "getThrowable"));
        }
        return null;
    }

    private void runByJUnit4(Class<?> test) throws ReflectiveOperationException {
        Class<?> requestType = loader.loadClass("org.junit.runner.Request");
        Object all = callStatic(requestType, "aClass", test);
        List<Object> requests = new ArrayList<>();
        if (methodName == null && cover == null) {
            requests.add(all);
        } else {
            // Coverage is noted of each test by itself.
            Object description = call(call(all, "getRunner"), "getDescription");
            for (Object leaf : leaves(description, new ArrayList<>())) {
                requests.add(call(callStatic(requestType, "aClass", test), "filterWith", leaf));
            }
        }
        Object core = loader.loadClass("org.junit.runner.JUnitCore").getConstructor().newInstance();
        for (Object request : requests) {
            if (cover != null) {
                begin();
            }
            Object result = call(core, "run", request);
            if (cover != null) {
                boolean passed = (Boolean) call(result, "wasSuccessful") && (Integer) call(result, "getRunCount") > 0;
                end(String.valueOf(call(call(request, "getRunner"), "getDescription")), passed);
            }
            ran += (Integer) call(result, "getRunCount");
            for (Object failure : (List<?>) call(result, "getFailures")) {
                ran = Math.max(ran, 1);
                failed(String.valueOf(call(failure, "getTestHeader")), (Throwable) call(failure, "getException"));
            }
        }
    }

    /** The descriptions of the tests of this method, or of all; a parameterized one has several. */
    private List<Object> leaves(Object description, List<Object> found) throws ReflectiveOperationException {
        Object name = call(description, "getMethodName");
        if (name != null
                && (methodName == null || name.equals(methodName) || ((String) name).startsWith(methodName + "["))) {
            found.add(description);
        }
        for (Object child : (List<?>) call(description, "getChildren")) {
            leaves(child, found);
        }
        return found;
    }

    private void runByJUnit3(Class<?> test) throws NoTest, ReflectiveOperationException {
        Class<?> suiteType = loader.loadClass("junit.framework.TestSuite");
        if (!loader.loadClass("junit.framework.TestCase").isAssignableFrom(test)) {
            throw new NoTest("`" + className + "` is no test of JUnit 3, and there is no other JUnit on the class path");
        }
        Object suite;
        if (methodName == null) {
            suite = suiteType.getConstructor(Class.class).newInstance(test);
        } else {
            try {
                test.getMethod(methodName);
            } catch (NoSuchMethodException missing) {
                return;
            }
            suite = callStatic(suiteType, "createTest", test, methodName);
        }
        Object result = loader.loadClass("junit.framework.TestResult").getConstructor().newInstance();
        run(suite, result, suiteType);
        ran = (Integer) call(result, "runCount");
        for (String kind : new String[] {"failures", "errors"}) {
            Enumeration<?> failures = (Enumeration<?>) call(result, kind);
            while (failures.hasMoreElements()) {
                Object failure = failures.nextElement();
                String name = String.valueOf(call(failure, "failedTest"));
                failed(name, (Throwable) call(failure, "thrownException"));
            }
        }
    }

    /** Runs a test of JUnit 3, or those of a suite one by one where coverage is noted. */
    private void run(Object test, Object result, Class<?> suiteType) throws ReflectiveOperationException {
        if (cover == null) {
            call(test, "run", result);
        } else if (suiteType.isInstance(test)) {
            Enumeration<?> tests = (Enumeration<?>) call(test, "tests");
            while (tests.hasMoreElements()) {
                run(tests.nextElement(), result, suiteType);
            }
        } else {
            int before = (Integer) call(result, "failureCount") + (Integer) call(result, "errorCount");
            begin();
            call(test, "run", result);
            int after = (Integer) call(result, "failureCount") + (Integer) call(result, "errorCount");
            end(String.valueOf(test), after == before);
        }
    }

    private void failed(String name, Throwable failure) {
        failed++;
        System.out.flush();
        System.err.println("FAILED " + name);
        print(failure, System.err);
    }

    /** Prints an exception without the frames of what ran the test, except the assertion that it called. */
    private static void print(Throwable failure, PrintStream to) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        String before = "";
        for (Throwable at = failure; at != null && seen.add(at); at = at.getCause()) {
            to.println(before + at);
            StackTraceElement[] frames = at.getStackTrace();
            boolean isFirst = true;
            for (int index = 0; index < frames.length; index++) {
                boolean isOwn = !isOfHarness(frames[index]);
                // The assertion that failed: without it, the line of the test would seem to throw.
                boolean isAssertion = isFirst && index + 1 < frames.length && !isOfHarness(frames[index + 1]);
                if (isOwn || isAssertion) {
                    to.println("    at " + frames[index]);
                }
                isFirst &= !isOwn;
            }
            before = "Caused by: ";
        }
    }

    private static boolean isOfHarness(StackTraceElement frame) {
        String place = frame.getClassName() + "." + frame.getMethodName();
        for (String prefix : HARNESS) {
            if (place.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
