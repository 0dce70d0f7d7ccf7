import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Calls methods of a program that is right, with what they were given in another run, and says whether what
 * came of it is the same. A question is a line of JSON, an answer a line: a word, and why.
 *
 * <p>The program that was recorded is called in the same way, in a VM of its own: where it does not repeat
 * what it did, a difference says nothing about the version that is right.
 */
public final class QuerypointReference {
    /** It cannot be told. */
    private static final class Unknown extends Exception {
        Unknown(String why) {
            super(why);
        }
    }

    /** The most characters of what is printed that a question has. */
    private static final int MOST = 4096;

    /** What the program prints on one of the standard streams: the beginning, and whether there is more. */
    private static final class Printed extends OutputStream {
        private final ByteArrayOutputStream begin = new ByteArrayOutputStream();

        @Override
        public synchronized void write(int b) {
            if (begin.size() <= 4 * MOST) {
                begin.write(b);
            }
        }

        @Override
        public synchronized void write(byte[] bytes, int from, int count) {
            begin.write(bytes, from, Math.min(count, Math.max(0, 4 * MOST + 1 - begin.size())));
        }

        synchronized String text() {
            return new String(begin.toByteArray(), StandardCharsets.UTF_8);
        }

        synchronized void clear() {
            begin.reset();
        }
    }

    private static final sun.misc.Unsafe UNSAFE = unsafe();

    /** The objects of the other run, by their numbers, and back. */
    private final Map<Long, Object> made = new HashMap<>();
    private final Map<Object, Long> numbers = new IdentityHashMap<>();
    /** How objects are described that have been met: by their numbers. */
    private final Map<Long, Map<?, ?>> described = new HashMap<>();
    /** Fields of enum constants that were set, with the constants and what they had before. */
    private final List<Object[]> before = new ArrayList<>();
    /** What differs first; null for nothing. */
    private String differs;
    /** What could not be compared; null for nothing. */
    private String unsure;

    private QuerypointReference() {
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        BlockingQueue<String> questions = new LinkedBlockingQueue<>();
        InputStream asked = System.in;
        Thread reader = new Thread(() -> read(asked, questions), "questions");
        reader.setDaemon(true);
        reader.start();
        QuerypointReferenceIdentity.fixSalt(UNSAFE);
        Printed[] printed = {new Printed(), new Printed()};
        System.setOut(new PrintStream(printed[0], true, "UTF-8"));
        System.setErr(new PrintStream(printed[1], true, "UTF-8"));
        System.setIn(InputStream.nullInputStream());
        while (true) {
            String line = questions.take();
            String answer;
            try {
                printed[0].clear();
                printed[1].clear();
                Map<?, ?> asks = (Map<?, ?>) new Json(line).value();
                QuerypointReference reference = new QuerypointReference();
                try {
                    answer = reference.judge(asks, printed);
                } finally {
                    reference.restore();
                }
            } catch (Unknown unknown) {
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
     * Whoever asks no more has gone: then neither a call nor a thread that the program has begun keeps this.
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

    private String judge(Map<?, ?> asks, Printed[] printed) throws Unknown, ReflectiveOperationException {
        Map<?, ?> question = (Map<?, ?>) asks.get("question");
        boolean silent = Boolean.TRUE.equals(asks.get("silent"));
        String name = (String) question.get("method");
        Class<?> owner = named((String) question.get("class"));
        Map<?, ?> entry = (Map<?, ?>) question.get("entry");
        Map<?, ?> exit = (Map<?, ?>) question.get("exit");
        if (name.equals("<clinit>")) {
            throw new Unknown("a class is initialised once");
        }
        MethodType type =
            MethodType.fromMethodDescriptorString((String) question.get("descriptor"), loader());
        boolean constructs = name.equals("<init>");
        Executable called = constructs
            ? owner.getDeclaredConstructor(type.parameterArray())
            : owner.getDeclaredMethod(name, type.parameterArray());
        called.setAccessible(true);
        entry.values().forEach(this::describe);
        Object self = null;
        List<Object> arguments = new ArrayList<>();
        for (Map.Entry<?, ?> given : entry.entrySet()) {
            String of = (String) given.getKey();
            if (of.equals("this")) {
                self = constructs ? null : object(given.getValue());
            } else if (of.indexOf('.') >= 0) {
                set(of, given.getValue());
            } else {
                arguments.add(object(given.getValue()));
            }
        }
        if (arguments.size() != type.parameterCount()) {
            throw new Unknown("it has other parameters");
        }
        for (int at = 0; at < arguments.size(); at++) {
            arguments.set(at, narrowed(arguments.get(at), type.parameterType(at)));
        }
        boolean isStatic = Modifier.isStatic(called.getModifiers());
        if (!constructs && isStatic == (self != null)) {
            throw new Unknown("it is static in one version only");
        }
        List<Long> given = new ArrayList<>(new TreeSet<>(made.keySet()));
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
            throw new Unknown("the right version fails with " + thrown);
        }
        String[] outputs = {printed[0].text(), printed[1].text()};
        described.clear();
        exit.values().forEach(this::describe);
        // What it has made is reachable from nothing else.
        describe(question.get("result"));
        ((List<?>) asks.get("unlinked")).forEach(this::describe);
        compare(question, entry, exit, constructs, type, result, thrown);
        for (Long number : given) {
            // Others can still have what the call has let go of.
            Map<?, ?> left = described.get(number);
            if (left != null) {
                same(left, made.get(number), left.get("type") + "@" + number);
            }
        }
        boolean prints = printed((List<?>) question.get("changed"), outputs);
        if (differs != null) {
            return "invalid " + differs;
        }
        if (Boolean.TRUE.equals(asks.get("repeats"))) {
            // The program's own code: nothing that is known differs.
            return "valid";
        }
        boolean tells = prints || !constructs && type.returnType() != void.class || thrown != null || constructs;
        if (!silent && !tells && ((List<?>) question.get("changed")).isEmpty()) {
            throw new Unknown("it returns nothing and changes nothing");
        }
        if (unsure != null) {
            throw new Unknown(unsure);
        }
        return "valid";
    }

    /** Gives enum constants back what they had: later calls share them. */
    private void restore() throws IllegalAccessException {
        for (Object[] one : before) {
            ((Field) one[0]).set(one[1], one[2]);
        }
    }

    /** Compares what is printed on the standard streams. Whether something is. */
    private boolean printed(List<?> changed, String[] outputs) {
        String[] there = {"", ""};
        boolean[] more = new boolean[2];
        for (Object one : changed) {
            Map<?, ?> change = (Map<?, ?>) one;
            Map<?, ?> shape = change.get("new") instanceof Map ? (Map<?, ?>) change.get("new") : null;
            if (shape == null || !shape.containsKey("printed")) {
                continue;
            }
            int which = Arrays.asList("System.out", "System.err").indexOf(change.get("path"));
            if (which < 0) {
                unsure = "what it prints on " + change.get("path") + " is not compared";
                continue;
            }
            there[which] = (String) shape.get("printed");
            more[which] = Boolean.TRUE.equals(shape.get("truncated"));
        }
        for (int which = 0; which < 2 && differs == null; which++) {
            String name = which == 0 ? "System.out" : "System.err";
            if (more[which] ? !outputs[which].startsWith(there[which]) : !outputs[which].equals(there[which])) {
                differs = outputs[which].isEmpty()
                    ? "the right version prints nothing on " + name
                    : "the right version prints " + quoted(outputs[which]) + " on " + name;
            } else if (more[which]) {
                unsure = "not all that it prints was compared";
            }
        }
        return !there[0].isEmpty() || !there[1].isEmpty();
    }

    /** A text in quotes, cut off where it is long. */
    private static String quoted(String text) {
        String begin = text.length() > 100 ? text.substring(0, 100) + "…" : text;
        return "\"" + begin.replace("\n", "\\n") + "\"";
    }

    private void compare(Map<?, ?> question, Map<?, ?> entry, Map<?, ?> exit, boolean constructs, MethodType type,
            Object result, Throwable thrown) throws ReflectiveOperationException {
        Map<?, ?> exception = (Map<?, ?>) question.get("exception");
        if (exception != null || thrown != null) {
            String there = exception == null ? null : (String) exception.get("type");
            String here = thrown == null ? null : thrown.getClass().getName();
            if (here == null || !here.equals(there)) {
                differs = here == null ? "the right version throws nothing" : "the right version throws " + here;
                return;
            }
            if (exception.get("fields") instanceof Map) {
                for (Map.Entry<?, ?> own : ((Map<?, ?>) exception.get("fields")).entrySet()) {
                    String name = (String) own.getKey();
                    Object thrownHere = field(thrown.getClass(), name).get(thrown);
                    same(own.getValue(), thrownHere, "the exception's " + name);
                }
            }
        } else if (!constructs && type.returnType() != void.class) {
            same(question.get("result"), result, "the result");
        }
        if (constructs && thrown == null) {
            same(exit.get("this"), result, "this");
        }
        for (Object key : entry.keySet()) {
            String name = (String) key;
            Object there = exit.get(name);
            if (name.indexOf('.') >= 0) {
                Field field = staticOf(name);
                same(there, field.get(null), name);
            } else if (there instanceof Map && number(there) != null && !(constructs && name.equals("this"))) {
                // What a parameter refers to at the end is nobody's concern but the method's.
                Long before = number(entry.get(name));
                if (number(there).equals(before)) {
                    same(there, made.get(before), name);
                }
            }
        }
    }

    /** Whether something is as it was in the other run. */
    private void same(Object there, Object here, String path) throws ReflectiveOperationException {
        if (differs != null) {
            return;
        }
        if (there == null || here == null) {
            if (there != here) {
                differs = path + " is " + shown(here);
            }
            return;
        }
        Map<?, ?> shape = (Map<?, ?>) there;
        if (shape.containsKey("unknown")) {
            unsure = "not all of " + path + " was recorded";
            return;
        }
        Long number = number(shape);
        if (number == null) {
            plain(shape, here, path);
            return;
        }
        if (isIdentified(shape)) {
            identified(shape, here, path);
            return;
        }
        Object known = made.get(number);
        Long other = numbers.get(here);
        boolean isByContent = here instanceof Optional && "java.util.Optional".equals(shape.get("type"));
        boolean isOther = known != null && known != here || other != null && !other.equals(number);
        if (isOther && !isByContent) {
            differs = path + " is another object";
            return;
        }
        String type = (String) shape.get("type");
        if (isMadeAtRunTime(type) || isMadeAtRunTime(here.getClass().getName())) {
            unsure = path + " is a lambda, or of another class that is made while the program runs";
            return;
        }
        if (!type.equals(here.getClass().getTypeName()) && !type.equals(here.getClass().getName())) {
            differs = path + " is a " + here.getClass().getTypeName();
            return;
        }
        made.put(number, here);
        numbers.put(here, number);
        Map<?, ?> described = this.described.remove(number);
        if (described == null) {
            return;
        }
        if (Boolean.TRUE.equals(described.get("truncated"))) {
            unsure = "not all of " + path + " was recorded";
        }
        if (described.get("text") instanceof String) {
            String text = (String) described.get("text");
            boolean whole = !Boolean.TRUE.equals(described.get("truncated"));
            String now = here instanceof ByteArrayOutputStream
                ? new String(((ByteArrayOutputStream) here).toByteArray(), StandardCharsets.UTF_8)
                : here.toString();
            if (whole ? !now.equals(text) : text.indexOf('\u2026') < 0 && !now.endsWith(text)) {
                differs = path + " is " + quoted(now);
            }
        } else if (described.get("elements") instanceof List) {
            elements((List<?>) described.get("elements"), here, path, Boolean.TRUE.equals(described.get("truncated")));
        } else if (here instanceof Optional && described.get("fields") instanceof Map) {
            Object inside = ((Optional<?>) here).orElse(null);
            same(((Map<?, ?>) described.get("fields")).get("value"), inside, path + ".value");
        } else if (described.get("fields") instanceof Map) {
            for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
                String name = (String) field.getKey();
                Field found = field(here.getClass(), name);
                same(field.getValue(), found.get(here), path + "." + name);
            }
        }
    }

    /** Whether its content identifies an object: a class, an enum constant, an immutable JDK object. */
    private static boolean isIdentified(Map<?, ?> shape) {
        return shape.get("content") instanceof String;
    }

    /**
     * Compares objects that their content identifies. Enum constants are compared by name and by the fields
     * that are not final: final ones may differ between the versions.
     */
    private void identified(Map<?, ?> shape, Object here, String path) throws ReflectiveOperationException {
        String content = (String) shape.get("content");
        String type = (String) shape.get("type");
        Long number = number(shape);
        if (type.equals("java.lang.Class")) {
            if (!(here instanceof Class) || !((Class<?>) here).getTypeName().equals(content)
                    && !((Class<?>) here).getName().equals(content)) {
                differs = path + " is " + shown(here);
            }
            return;
        }
        Object value = QuerypointReferenceContent.value(type, content);
        if (value != null) {
            if (!QuerypointReferenceContent.isSame(value, here)) {
                differs = path + " is " + shown(here);
            }
            return;
        }
        boolean isSame = here instanceof Enum && ((Enum<?>) here).name().equals(content)
            && (type.equals(here.getClass().getName())
                || type.startsWith(((Enum<?>) here).getDeclaringClass().getName() + "$"));
        if (!isSame) {
            differs = path + " is " + shown(here);
            return;
        }
        // What others were before the call is not known.
        boolean wasGiven = made.containsKey(number);
        made.put(number, here);
        numbers.put(here, number);
        Map<?, ?> described = this.described.remove(number);
        if (described != null && described.get("fields") instanceof Map) {
            for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
                Field found = field(here.getClass(), (String) field.getKey());
                if (!Modifier.isFinal(found.getModifiers())) {
                    same(field.getValue(), found.get(here), path + "." + field.getKey());
                }
            }
            if (differs != null && !wasGiven) {
                unsure = "the call was not given the constant that it reaches: " + differs;
                differs = null;
            }
        }
    }

    private void elements(List<?> there, Object here, String path, boolean more) throws ReflectiveOperationException {
        if (here instanceof Map || here instanceof Set) {
            byKey(there, here, path, more);
            return;
        }
        List<Object> all = new ArrayList<>();
        if (here.getClass().isArray()) {
            for (int at = 0; at < Array.getLength(here); at++) {
                all.add(Array.get(here, at));
            }
        } else if (here instanceof Collection) {
            all.addAll((Collection<?>) here);
        } else {
            unsure = "nothing is known of what " + path + " holds";
            return;
        }
        if (!more && all.size() != there.size()) {
            differs = path + " has " + all.size() + " elements";
            return;
        }
        for (int at = 0; at < Math.min(there.size(), all.size()); at++) {
            same(there.get(at), all.get(at), path + "[" + at + "]");
        }
    }

    /** Maps and sets, whose order is nobody's concern. */
    private void byKey(List<?> there, Object here, String path, boolean more) throws ReflectiveOperationException {
        Map<?, ?> map = here instanceof Map ? (Map<?, ?>) here : null;
        int size = map != null ? map.size() : ((Set<?>) here).size();
        if (!more && size != there.size()) {
            differs = path + " has " + size + " elements";
            return;
        }
        for (Object element : there) {
            Map<?, ?> pair = map != null ? (Map<?, ?>) element : null;
            Map<?, ?> shape = (Map<?, ?>) (pair != null ? pair.get("key") : element);
            Object key = null;
            if (shape != null) {
                Long number = number(shape);
                key = number != null ? made.get(number) : parsed((String) shape.get("type"), shape.get("value"));
                if (key == null && isIdentified(shape)) {
                    key = identified(shape);
                }
                if (key == null) {
                    unsure = "not all is known of the keys of " + path;
                    return;
                }
            }
            if (map != null ? !map.containsKey(key) : !((Set<?>) here).contains(key)) {
                differs = path + " has not " + shown(key);
                return;
            }
            if (pair != null) {
                same(pair.get("value"), map.get(key), path + "{" + shown(key) + "}");
            }
        }
    }

    private void plain(Map<?, ?> shape, Object here, String path) {
        Object value = shape.get("value");
        String type = (String) shape.get("type");
        if (Boolean.TRUE.equals(shape.get("truncated"))) {
            if (!(here instanceof String) || !((String) here).startsWith((String) value)) {
                differs = path + " is " + shown(here);
            } else {
                unsure = "not all of " + path + " was recorded";
            }
            return;
        }
        Object there = parsed(type, value);
        if (there == null || !there.equals(here)) {
            differs = path + " is " + shown(here);
        }
    }

    /** A primitive value, a box or a text as it was in the other run. */
    private static Object parsed(String type, Object value) {
        switch (type) {
            case "boolean": case "java.lang.Boolean": return value;
            case "char": case "java.lang.Character": return ((String) value).charAt(0);
            case "byte": case "java.lang.Byte": return ((Number) value).byteValue();
            case "short": case "java.lang.Short": return ((Number) value).shortValue();
            case "int": case "java.lang.Integer": return ((Number) value).intValue();
            case "long": case "java.lang.Long": return ((Number) value).longValue();
            case "float": case "java.lang.Float": return Float.valueOf(value.toString());
            case "double": case "java.lang.Double": return Double.valueOf(value.toString());
            case "java.lang.String": return value;
            default: return null;
        }
    }


    private static String shown(Object here) {
        if (here == null || here instanceof Number || here instanceof Boolean || here instanceof Character) {
            return String.valueOf(here);
        }
        if (here instanceof Enum) {
            return ((Enum<?>) here).getDeclaringClass().getSimpleName() + "." + ((Enum<?>) here).name();
        }
        if (here instanceof Class) {
            return ((Class<?>) here).getTypeName() + ".class";
        }
        if (QuerypointReferenceContent.isShown(here.getClass())) {
            String name = here.getClass().getSimpleName();
            String text = here.toString();
            return text.startsWith(name) ? text : name + " " + text;
        }
        return here instanceof String ? "\"" + here + "\"" : "a " + here.getClass().getTypeName();
    }

    private static Long number(Object shape) {
        Object number = shape instanceof Map ? ((Map<?, ?>) shape).get("object") : null;
        return number == null ? null : ((Number) number).longValue();
    }

    /** Remembers how the objects in a value are described. */
    private void describe(Object value) {
        if (!(value instanceof Map)) {
            return;
        }
        Map<?, ?> shape = (Map<?, ?>) value;
        Long number = number(shape);
        if (number == null) {
            return;
        }
        Object fields = shape.get("fields");
        Object elements = shape.get("elements");
        Map<?, ?> known = described.get(number);
        boolean none = fields == null && elements == null && shape.get("text") == null;
        if (none || known != null && !Boolean.TRUE.equals(known.get("truncated"))) {
            return;
        }
        described.put(number, shape);
        if (fields instanceof Map) {
            ((Map<?, ?>) fields).values().forEach(this::describe);
        } else if (elements instanceof List) {
            ((List<?>) elements).forEach(this::describe);
        }
    }

    /** A value of the other run, made here. */
    private Object object(Object value) throws Unknown, ReflectiveOperationException {
        if (value == null) {
            return null;
        }
        Map<?, ?> shape = (Map<?, ?>) value;
        if (shape.containsKey("unknown")) {
            throw new Unknown("not all that it was given was recorded");
        }
        Long number = number(shape);
        if (number == null) {
            if (Boolean.TRUE.equals(shape.get("truncated"))) {
                throw new Unknown("it was given a long text");
            }
            return parsed((String) shape.get("type"), shape.get("value"));
        }
        Object known = made.get(number);
        if (known != null) {
            return known;
        }
        Map<?, ?> described = this.described.get(number);
        String type = (String) shape.get("type");
        if (isIdentified(shape)) {
            Object found = identified(shape);
            if (found == null) {
                throw new Unknown("the right version has no " + type + " " + shape.get("content"));
            }
            made.put(number, found);
            numbers.put(found, number);
            if (found instanceof Enum && described != null) {
                changeable(found, (Map<?, ?>) described.get("fields"));
            }
            return found;
        }
        if (isMadeAtRunTime(type)) {
            throw new Unknown("a lambda cannot be made");
        }
        if (described == null || Boolean.TRUE.equals(described.get("truncated"))) {
            throw new Unknown("not all is known of the " + type + " that it was given");
        }
        Class<?> of = named(type);
        List<?> elements = described.get("elements") instanceof List ? (List<?>) described.get("elements") : null;
        if (described.get("text") instanceof String) {
            Object built = built(of, (String) described.get("text"));
            met(number, built);
            return built;
        }
        if (of.isArray() && elements != null) {
            Object array = Array.newInstance(of.getComponentType(), elements.size());
            met(number, array);
            for (int at = 0; at < elements.size(); at++) {
                Array.set(array, at, narrowed(object(elements.get(at)), of.getComponentType()));
            }
            return array;
        }
        if (elements != null && Collection.class.isAssignableFrom(of)) {
            @SuppressWarnings("unchecked")
            Collection<Object> collection = (Collection<Object>) of.getDeclaredConstructor().newInstance();
            met(number, collection);
            for (Object element : elements) {
                collection.add(object(element));
            }
            return collection;
        }
        if (elements != null && Map.class.isAssignableFrom(of)) {
            @SuppressWarnings("unchecked")
            Map<Object, Object> map = (Map<Object, Object>) of.getDeclaredConstructor().newInstance();
            met(number, map);
            for (Object pair : elements) {
                map.put(object(((Map<?, ?>) pair).get("key")), object(((Map<?, ?>) pair).get("value")));
            }
            return map;
        }
        if (of == Optional.class && described.get("fields") instanceof Map) {
            Object optional = Optional.of(object(((Map<?, ?>) described.get("fields")).get("value")));
            met(number, optional);
            return optional;
        }
        boolean isRecord = QuerypointReferenceContent.isRecord(of);
        if (of.isEnum() || of.getName().indexOf('/') >= 0 || !(described.get("fields") instanceof Map)) {
            throw new Unknown("a " + type + " cannot be made");
        }
        Object object = UNSAFE.allocateInstance(of);
        met(number, object);
        for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
            Field found = field(of, (String) field.getKey());
            Object inside = narrowed(object(field.getValue()), found.getType());
            if (isRecord) {
                QuerypointReferenceContent.set(object, found, inside);
            } else {
                found.set(object, inside);
            }
        }
        return object;
    }

    /** What its content identifies; null where the right version has no such object. */
    private static Object identified(Map<?, ?> shape) throws ReflectiveOperationException {
        String type = (String) shape.get("type");
        String content = (String) shape.get("content");
        if (type.equals("java.lang.Class")) {
            return named(content);
        }
        Object value = QuerypointReferenceContent.value(type, content);
        if (value != null) {
            return value;
        }
        // A constant with a body has a class of its own.
        for (Class<?> of = named(type); of != null; of = of.getSuperclass()) {
            if (of.isEnum()) {
                for (Object constant : of.getEnumConstants()) {
                    if (((Enum<?>) constant).name().equals(content)) {
                        return constant;
                    }
                }
            }
        }
        return null;
    }

    /** Sets the fields of a constant that can change. */
    private void changeable(Object constant, Map<?, ?> fields) throws Unknown, ReflectiveOperationException {
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            Field found = field(constant.getClass(), (String) field.getKey());
            if (!Modifier.isFinal(found.getModifiers())) {
                before.add(new Object[] {found, constant, found.get(constant)});
                found.set(constant, narrowed(object(field.getValue()), found.getType()));
            }
        }
    }

    /** A builder with a text. */
    private static Object built(Class<?> of, String text) throws Unknown {
        if (of == StringBuilder.class) {
            return new StringBuilder(text);
        }
        if (of == StringBuffer.class) {
            return new StringBuffer(text);
        }
        if (of == StringWriter.class) {
            return new StringWriter().append(text);
        }
        if (of == CharArrayWriter.class) {
            return new CharArrayWriter().append(text);
        }
        if (of == ByteArrayOutputStream.class && text.indexOf('\ufffd') < 0) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            ByteArrayOutputStream made = new ByteArrayOutputStream();
            made.write(bytes, 0, bytes.length);
            return made;
        }
        throw new Unknown("a " + of.getName() + " cannot be made");
    }

    /** Lambdas, hidden classes and proxies: their names are no names of class files. */
    private static boolean isMadeAtRunTime(String type) {
        return type.indexOf('/') >= 0 || type.indexOf("$Proxy") >= 0;
    }

    private void met(Long number, Object object) {
        QuerypointReferenceIdentity.repeat(UNSAFE, object, number.intValue());
        made.put(number, object);
        numbers.put(object, number);
    }

    private void set(String name, Object value) throws Unknown, ReflectiveOperationException {
        Field field = staticOf(name);
        if (Modifier.isFinal(field.getModifiers())) {
            throw new Unknown(name + " is final in the right version");
        }
        field.set(null, narrowed(object(value), field.getType()));
    }

    private static Field staticOf(String name) throws ReflectiveOperationException {
        int dot = name.lastIndexOf('.');
        return field(named(name.substring(0, dot)), name.substring(dot + 1));
    }

    /** A number as a narrower type has it. */
    private static Object narrowed(Object value, Class<?> to) {
        if (!(value instanceof Number) || !to.isPrimitive()) {
            return value;
        }
        Number number = (Number) value;
        return to == byte.class ? (Object) number.byteValue() : to == short.class ? (Object) number.shortValue() : number;
    }

    private static Field field(Class<?> of, String name) throws NoSuchFieldException {
        int dot = name.indexOf('.');
        String simple = dot < 0 ? name : name.substring(dot + 1);
        for (Class<?> at = of; at != null; at = at.getSuperclass()) {
            boolean isMeant = dot < 0 || at.getName().endsWith(name.substring(0, dot));
            for (Field field : at.getDeclaredFields()) {
                if (isMeant && field.getName().equals(simple)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(of.getName() + "." + name);
    }

    private static ClassLoader loader() {
        return ClassLoader.getSystemClassLoader();
    }

    /** A class as Java names it: int[] too. */
    private static Class<?> named(String name) throws ClassNotFoundException {
        if (name.endsWith("[]")) {
            return Array.newInstance(named(name.substring(0, name.length() - 2)), 0).getClass();
        }
        switch (name) {
            case "boolean": return boolean.class;
            case "char": return char.class;
            case "byte": return byte.class;
            case "short": return short.class;
            case "int": return int.class;
            case "long": return long.class;
            case "float": return float.class;
            case "double": return double.class;
            default: return Class.forName(name, true, loader());
        }
    }

    private static sun.misc.Unsafe unsafe() {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    /** Reads JSON as it is written by machines. */
    private static final class Json {
        private final String text;
        private int at;

        Json(String text) {
            this.text = text;
        }

        Object value() {
            space();
            switch (text.charAt(at)) {
                case '{': return object();
                case '[': return array();
                case '"': return string();
                case 't': at += 4; return true;
                case 'f': at += 5; return false;
                case 'n': at += 4; return null;
                default: return number();
            }
        }

        private Map<String, Object> object() {
            Map<String, Object> found = new LinkedHashMap<>();
            at++;
            space();
            while (text.charAt(at) != '}') {
                String key = string();
                space();
                at++;
                found.put(key, value());
                space();
                if (text.charAt(at) == ',') {
                    at++;
                    space();
                }
            }
            at++;
            return found;
        }

        private List<Object> array() {
            List<Object> found = new ArrayList<>();
            at++;
            space();
            while (text.charAt(at) != ']') {
                found.add(value());
                space();
                if (text.charAt(at) == ',') {
                    at++;
                }
                space();
            }
            at++;
            return found;
        }

        private String string() {
            StringBuilder found = new StringBuilder();
            at++;
            while (text.charAt(at) != '"') {
                char next = text.charAt(at++);
                if (next != '\\') {
                    found.append(next);
                    continue;
                }
                char escaped = text.charAt(at++);
                switch (escaped) {
                    case 'n': found.append('\n'); break;
                    case 't': found.append('\t'); break;
                    case 'r': found.append('\r'); break;
                    case 'b': found.append('\b'); break;
                    case 'f': found.append('\f'); break;
                    case 'u':
                        found.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                        at += 4;
                        break;
                    default: found.append(escaped);
                }
            }
            at++;
            return found.toString();
        }

        private Number number() {
            int from = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            String number = text.substring(from, at);
            boolean isWhole = number.chars().noneMatch(c -> c == '.' || c == 'e' || c == 'E');
            return isWhole ? (Number) Long.valueOf(number) : (Number) Double.valueOf(number);
        }

        private void space() {
            while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
                at++;
            }
        }
    }
}
