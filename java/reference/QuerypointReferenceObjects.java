import java.io.ByteArrayOutputStream;
import java.io.CharArrayWriter;
import java.io.StringWriter;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects of the other run, made in this one from their descriptions. */
final class QuerypointReferenceObjects {
    /** The objects that were made or found equal, by their numbers in the other run. */
    final Map<Long, Object> made = new HashMap<>();
    /** The same the other way round. */
    final Map<Object, Long> numbers = new IdentityHashMap<>();
    /** The descriptions of objects that were not made or compared yet, by their numbers. */
    final Map<Long, Map<?, ?>> described = new HashMap<>();
    /** Fields of enum constants that were set, with the constants and their values before. */
    private final List<Object[]> before = new ArrayList<>();

    /** Keeps the descriptions of the objects in a value. */
    void describe(Object value) {
        if (!(value instanceof Map)) {
            return;
        }
        Map<?, ?> shape = (Map<?, ?>) value;
        Long number = QuerypointReferenceShape.number(shape);
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

    /** The value that a description is of, made in this run. */
    Object object(Object value) throws QuerypointReferenceUnknown, ReflectiveOperationException {
        if (value == null) {
            return null;
        }
        Map<?, ?> shape = (Map<?, ?>) value;
        if (shape.containsKey("unknown")) {
            throw new QuerypointReferenceUnknown("not all that it was given was recorded");
        }
        Long number = QuerypointReferenceShape.number(shape);
        if (number == null) {
            if (Boolean.TRUE.equals(shape.get("truncated"))) {
                throw new QuerypointReferenceUnknown("it was given a long text");
            }
            return QuerypointReferenceShape.parsed((String) shape.get("type"), shape.get("value"));
        }
        Object known = made.get(number);
        if (known != null) {
            return known;
        }
        Map<?, ?> described = this.described.get(number);
        String type = (String) shape.get("type");
        if (QuerypointReferenceShape.isIdentified(shape)) {
            Object found = QuerypointReferenceShape.identified(shape);
            if (found == null) {
                throw new QuerypointReferenceUnknown("the right version has no " + type + " " + shape.get("content"));
            }
            made.put(number, found);
            numbers.put(found, number);
            if (found instanceof Enum && described != null) {
                changeable(found, (Map<?, ?>) described.get("fields"));
            }
            return found;
        }
        if (QuerypointReferenceShape.isMadeAtRunTime(type)) {
            throw new QuerypointReferenceUnknown(type.endsWith("/generated")
                    ? "an object of a class that a library generates cannot be made"
                    : "a lambda cannot be made");
        }
        if (described == null || Boolean.TRUE.equals(described.get("truncated"))) {
            throw new QuerypointReferenceUnknown("not all is known of the " + type + " that it was given");
        }
        Class<?> of = QuerypointReferenceClasses.named(type);
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
                Array.set(array, at, QuerypointReferenceClasses.narrowed(object(elements.get(at)), of.getComponentType()));
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
            throw new QuerypointReferenceUnknown("a " + type + " cannot be made");
        }
        Object object = QuerypointReferenceClasses.UNSAFE.allocateInstance(of);
        met(number, object);
        for (Map.Entry<?, ?> field : ((Map<?, ?>) described.get("fields")).entrySet()) {
            Field found = QuerypointReferenceClasses.field(of, (String) field.getKey());
            Object inside = QuerypointReferenceClasses.narrowed(object(field.getValue()), found.getType());
            if (isRecord) {
                QuerypointReferenceContent.set(object, found, inside);
            } else {
                found.set(object, inside);
            }
        }
        return object;
    }

    /** Sets the fields of a constant that are not final. */
    private void changeable(Object constant, Map<?, ?> fields) throws QuerypointReferenceUnknown, ReflectiveOperationException {
        for (Map.Entry<?, ?> field : fields.entrySet()) {
            Field found = QuerypointReferenceClasses.field(constant.getClass(), (String) field.getKey());
            if (!Modifier.isFinal(found.getModifiers())) {
                before.add(new Object[] {found, constant, found.get(constant)});
                found.set(constant, QuerypointReferenceClasses.narrowed(object(field.getValue()), found.getType()));
            }
        }
    }

    /** A builder with a text. */
    private static Object built(Class<?> of, String text) throws QuerypointReferenceUnknown {
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
        throw new QuerypointReferenceUnknown("a " + of.getName() + " cannot be made");
    }

    /** Keeps the object that was made for a number. */
    private void met(Long number, Object object) {
        QuerypointReferenceIdentity.repeat(QuerypointReferenceClasses.UNSAFE, object, number.intValue());
        made.put(number, object);
        numbers.put(object, number);
    }

    /** Sets a static field. */
    void set(String name, Object value) throws QuerypointReferenceUnknown, ReflectiveOperationException {
        Field field = QuerypointReferenceClasses.staticOf(name);
        if (Modifier.isFinal(field.getModifiers())) {
            throw new QuerypointReferenceUnknown(name + " is final in the right version");
        }
        field.set(null, QuerypointReferenceClasses.narrowed(object(value), field.getType()));
    }

    /** Restores the fields of enum constants, which later calls use as well. */
    void restore() throws IllegalAccessException {
        for (Object[] one : before) {
            ((Field) one[0]).set(one[1], one[2]);
        }
    }
}
