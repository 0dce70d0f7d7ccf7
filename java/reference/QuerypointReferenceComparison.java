import java.io.ByteArrayOutputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Compares the effects of a call with those that it had in the other run. */
final class QuerypointReferenceComparison {
    private final QuerypointReferenceObjects objects;
    /** The first difference; null for none. */
    String differs;
    /** What could not be compared; null for nothing. */
    String unsure;

    QuerypointReferenceComparison(QuerypointReferenceObjects objects) {
        this.objects = objects;
    }

    /** Compares what the call printed. Returns whether it printed anything in the other run. */
    boolean printed(List<?> changed, String[] outputs) {
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
                    : "the right version prints " + QuerypointReferenceShape.quoted(outputs[which]) + " on " + name;
            } else if (more[which]) {
                unsure = "not all that it prints was compared";
            }
        }
        return !there[0].isEmpty() || !there[1].isEmpty();
    }

    /** Compares the result, the exception, and what the parameters and static fields hold at the end. */
    void compare(Map<?, ?> question, Map<?, ?> entry, Map<?, ?> exit, boolean constructs, MethodType type,
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
                    Object thrownHere = QuerypointReferenceClasses.field(thrown.getClass(), name).get(thrown);
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
                Field field = QuerypointReferenceClasses.staticOf(name);
                same(there, field.get(null), name);
            } else if (there instanceof Map && QuerypointReferenceShape.number(there) != null && !(constructs && name.equals("this"))) {
                // A parameter that was assigned is not an effect of the call.
                Long before = QuerypointReferenceShape.number(entry.get(name));
                if (QuerypointReferenceShape.number(there).equals(before)) {
                    same(there, objects.made.get(before), name);
                }
            }
        }
    }

    /** Compares a value with its description. */
    void same(Object there, Object here, String path) throws ReflectiveOperationException {
        if (differs != null) {
            return;
        }
        if (there == null || here == null) {
            if (there != here) {
                differs = path + " is " + QuerypointReferenceShape.shown(here);
            }
            return;
        }
        Map<?, ?> shape = (Map<?, ?>) there;
        if (shape.containsKey("unknown")) {
            unsure = "not all of " + path + " was recorded";
            return;
        }
        Long number = QuerypointReferenceShape.number(shape);
        if (number == null) {
            plain(shape, here, path);
            return;
        }
        if (QuerypointReferenceShape.isIdentified(shape)) {
            identified(shape, here, path);
            return;
        }
        Object known = objects.made.get(number);
        Long other = objects.numbers.get(here);
        boolean isByContent = here instanceof Optional && "java.util.Optional".equals(shape.get("type"));
        boolean isOther = known != null && known != here || other != null && !other.equals(number);
        if (isOther && !isByContent) {
            differs = path + " is another object";
            return;
        }
        String type = (String) shape.get("type");
        if (QuerypointReferenceShape.isMadeAtRunTime(type) || QuerypointReferenceShape.isMadeAtRunTime(here.getClass().getName())) {
            unsure = path + " is a lambda, or of another class that is made while the program runs";
            return;
        }
        if (!type.equals(here.getClass().getTypeName()) && !type.equals(here.getClass().getName())) {
            differs = path + " is a " + here.getClass().getTypeName();
            return;
        }
        objects.made.put(number, here);
        objects.numbers.put(here, number);
        Map<?, ?> described = objects.described.remove(number);
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
                differs = path + " is " + QuerypointReferenceShape.quoted(now);
            }
        } else if (described.get("elements") instanceof List) {
            elements((List<?>) described.get("elements"), here, path, Boolean.TRUE.equals(described.get("truncated")));
        } else if (here instanceof Optional && described.get("fields") instanceof Map) {
            Object inside = ((Optional<?>) here).orElse(null);
            same(((Map<?, ?>) described.get("fields")).get("value"), inside, path + ".value");
        } else if (described.get("fields") instanceof Map) {
            for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
                String name = (String) field.getKey();
                Field found = QuerypointReferenceClasses.field(here.getClass(), name);
                same(field.getValue(), found.get(here), path + "." + name);
            }
        }
    }

    /**
     * Compares objects that their content identifies. Enum constants are compared by name and by the fields
     * that are not final: final ones may differ between the versions.
     */
    private void identified(Map<?, ?> shape, Object here, String path) throws ReflectiveOperationException {
        String content = (String) shape.get("content");
        String type = (String) shape.get("type");
        Long number = QuerypointReferenceShape.number(shape);
        if (type.equals("java.lang.Class")) {
            if (!(here instanceof Class) || !((Class<?>) here).getTypeName().equals(content)
                    && !((Class<?>) here).getName().equals(content)) {
                differs = path + " is " + QuerypointReferenceShape.shown(here);
            }
            return;
        }
        Object value = QuerypointReferenceContent.value(type, content);
        if (value != null) {
            if (!QuerypointReferenceContent.isSame(value, here)) {
                differs = path + " is " + QuerypointReferenceShape.shown(here);
            }
            return;
        }
        boolean isSame = here instanceof Enum && ((Enum<?>) here).name().equals(content)
            && (type.equals(here.getClass().getName())
                || type.startsWith(((Enum<?>) here).getDeclaringClass().getName() + "$"));
        if (!isSame) {
            differs = path + " is " + QuerypointReferenceShape.shown(here);
            return;
        }
        // Of a constant that was not given, the fields before the call are not known.
        boolean wasGiven = objects.made.containsKey(number);
        objects.made.put(number, here);
        objects.numbers.put(here, number);
        Map<?, ?> described = objects.described.remove(number);
        if (described != null && described.get("fields") instanceof Map) {
            for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
                Field found = QuerypointReferenceClasses.field(here.getClass(), (String) field.getKey());
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

    /** Compares the elements of an array or a collection. */
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

    /** Compares maps and sets, in any order. */
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
                Long number = QuerypointReferenceShape.number(shape);
                key = number != null ? objects.made.get(number) : QuerypointReferenceShape.parsed((String) shape.get("type"), shape.get("value"));
                if (key == null && QuerypointReferenceShape.isIdentified(shape)) {
                    key = QuerypointReferenceShape.identified(shape);
                }
                if (key == null) {
                    unsure = "not all is known of the keys of " + path;
                    return;
                }
            }
            if (map != null ? !map.containsKey(key) : !((Set<?>) here).contains(key)) {
                differs = path + " has not " + QuerypointReferenceShape.shown(key);
                return;
            }
            if (pair != null) {
                same(pair.get("value"), map.get(key), path + "{" + QuerypointReferenceShape.shown(key) + "}");
            }
        }
    }

    /** Compares a value that is no object with a number. */
    private void plain(Map<?, ?> shape, Object here, String path) {
        Object value = shape.get("value");
        String type = (String) shape.get("type");
        if (Boolean.TRUE.equals(shape.get("truncated"))) {
            if (!(here instanceof String) || !((String) here).startsWith((String) value)) {
                differs = path + " is " + QuerypointReferenceShape.shown(here);
            } else {
                unsure = "not all of " + path + " was recorded";
            }
            return;
        }
        Object there = QuerypointReferenceShape.parsed(type, value);
        if (there == null || !there.equals(here)) {
            differs = path + " is " + QuerypointReferenceShape.shown(here);
        }
    }
}
