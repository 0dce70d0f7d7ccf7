import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Calls methods of a right version of the program with the arguments of another run, and answers whether
 * the effects are the same. A question is a line of JSON, an answer is a line: a word, and the reason.
 *
 * <p>The version that was recorded is called in the same way, in a VM of its own: where it does not repeat
 * its own effects, a difference says nothing about the right version.
 */
public final class QuerypointReference {
    private QuerypointReference() {
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        BlockingQueue<String> questions = new LinkedBlockingQueue<>();
        InputStream asked = System.in;
        Thread reader = new Thread(() -> read(asked, questions), "questions");
        reader.setDaemon(true);
        reader.start();
        QuerypointReferenceIdentity.fixSalt(QuerypointReferenceClasses.UNSAFE);
        QuerypointReferencePrinted[] printed = {new QuerypointReferencePrinted(), new QuerypointReferencePrinted()};
        System.setOut(new PrintStream(printed[0], true, "UTF-8"));
        System.setErr(new PrintStream(printed[1], true, "UTF-8"));
        System.setIn(InputStream.nullInputStream());
        while (true) {
            String line = questions.take();
            String answer;
            try {
                printed[0].clear();
                printed[1].clear();
                Map<?, ?> asks = (Map<?, ?>) new QuerypointReferenceJson(line).value();
                QuerypointReferenceObjects objects = new QuerypointReferenceObjects();
                try {
                    answer = judge(asks, objects, printed);
                } finally {
                    objects.restore();
                }
            } catch (QuerypointReferenceUnknown unknown) {
                answer = "unknown " + unknown.getMessage();
            } catch (ReflectiveOperationException | RuntimeException | LinkageError | StackOverflowError | OutOfMemoryError error) {
                answer = "unknown it cannot be called: " + error;
            }
            byte[] bytes = (answer.replace('\n', ' ') + "\n").getBytes(StandardCharsets.UTF_8);
            answers.write(bytes, 0, bytes.length);
            answers.flush();
        }
    }

    /**
     * Reads the questions. At their end the asking process has ended: this VM ends too, whatever the
     * program's threads do.
     */
    private static void read(InputStream asked, BlockingQueue<String> questions) {
        try {
            BufferedReader lines = new BufferedReader(new InputStreamReader(asked, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                questions.add(line);
            }
        } catch (IOException error) {
            // As at the end.
        }
        Runtime.getRuntime().halt(0);
    }

    private static String judge(
            Map<?, ?> asks, QuerypointReferenceObjects objects, QuerypointReferencePrinted[] printed)
            throws QuerypointReferenceUnknown, ReflectiveOperationException {
        Map<?, ?> question = (Map<?, ?>) asks.get("question");
        boolean silent = Boolean.TRUE.equals(asks.get("silent"));
        String name = (String) question.get("method");
        Class<?> owner = QuerypointReferenceClasses.named((String) question.get("class"));
        Map<?, ?> entry = (Map<?, ?>) question.get("entry");
        Map<?, ?> exit = (Map<?, ?>) question.get("exit");
        if (name.equals("<clinit>")) {
            throw new QuerypointReferenceUnknown("a class is initialised once");
        }
        MethodType type =
            MethodType.fromMethodDescriptorString((String) question.get("descriptor"), QuerypointReferenceClasses.loader());
        boolean constructs = name.equals("<init>");
        Executable called = constructs
            ? owner.getDeclaredConstructor(type.parameterArray())
            : owner.getDeclaredMethod(name, type.parameterArray());
        called.setAccessible(true);
        entry.values().forEach(objects::describe);
        Object self = null;
        List<Object> arguments = new ArrayList<>();
        for (Map.Entry<?, ?> given : entry.entrySet()) {
            String of = (String) given.getKey();
            if (of.equals("this")) {
                self = constructs ? null : objects.object(given.getValue());
            } else if (of.indexOf('.') >= 0) {
                objects.set(of, given.getValue());
            } else {
                arguments.add(objects.object(given.getValue()));
            }
        }
        if (arguments.size() != type.parameterCount()) {
            throw new QuerypointReferenceUnknown("it has other parameters");
        }
        for (int at = 0; at < arguments.size(); at++) {
            arguments.set(at, QuerypointReferenceClasses.narrowed(arguments.get(at), type.parameterType(at)));
        }
        boolean isStatic = Modifier.isStatic(called.getModifiers());
        if (!constructs && isStatic == (self != null)) {
            throw new QuerypointReferenceUnknown("it is static in one version only");
        }
        List<Long> given = new ArrayList<>(new TreeSet<>(objects.made.keySet()));
        Object result = null;
        Throwable thrown = null;
        try {
            result = constructs
                ? ((Constructor<?>) called).newInstance(arguments.toArray())
                : ((Method) called).invoke(self, arguments.toArray());
        } catch (InvocationTargetException failed) {
            thrown = failed.getCause();
        }
        if (thrown instanceof VirtualMachineError) {
            throw new QuerypointReferenceUnknown("the right version fails with " + thrown);
        }
        String[] outputs = {printed[0].text(), printed[1].text()};
        objects.described.clear();
        exit.values().forEach(objects::describe);
        // A new object can be reachable from the result only.
        objects.describe(question.get("result"));
        ((List<?>) asks.get("unlinked")).forEach(objects::describe);
        QuerypointReferenceComparison comparison = new QuerypointReferenceComparison(objects);
        comparison.compare(question, entry, exit, constructs, type, result, thrown);
        for (Long number : given) {
            // An object that the call no longer refers to may be in use elsewhere.
            Map<?, ?> left = objects.described.get(number);
            if (left != null) {
                comparison.same(left, objects.made.get(number), left.get("type") + "@" + number);
            }
        }
        boolean prints = comparison.printed((List<?>) question.get("changed"), outputs);
        if (comparison.differs != null) {
            return "invalid " + comparison.differs;
        }
        if (Boolean.TRUE.equals(asks.get("repeats"))) {
            // The program's own code: nothing that is known differs.
            return "valid";
        }
        boolean tells = prints || !constructs && type.returnType() != void.class || thrown != null || constructs;
        if (!silent && !tells && ((List<?>) question.get("changed")).isEmpty()) {
            throw new QuerypointReferenceUnknown("it returns nothing and changes nothing");
        }
        if (comparison.unsure != null) {
            throw new QuerypointReferenceUnknown(comparison.unsure);
        }
        return "valid";
    }
}
