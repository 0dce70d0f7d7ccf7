import java.util.Map;

/**
 * What questions say of values: a map with the type and the value, or with the number of an object and what
 * is known of it.
 */
final class QuerypointReferenceShape {
    private QuerypointReferenceShape() {
    }

    /** The number of the object that a description is of; null for another value. */
    static Long number(Object shape) {
        Object number = shape instanceof Map ? ((Map<?, ?>) shape).get("object") : null;
        return number == null ? null : ((Number) number).longValue();
    }

    /** Whether it describes an object by its content: a class, an enum constant, an immutable JDK object. */
    static boolean isIdentified(Map<?, ?> shape) {
        return shape.get("content") instanceof String;
    }

    /** The object of this run with that content; null if there is none. */
    static Object identified(Map<?, ?> shape) throws ReflectiveOperationException {
        String type = (String) shape.get("type");
        String content = (String) shape.get("content");
        if (type.equals("java.lang.Class")) {
            return QuerypointReferenceClasses.named(content);
        }
        Object value = QuerypointReferenceContent.value(type, content);
        if (value != null) {
            return value;
        }
        // A constant with a body has a class of its own.
        for (Class<?> of = QuerypointReferenceClasses.named(type); of != null; of = of.getSuperclass()) {
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

    /** Whether a class is made while the program runs, without a class file: of a lambda or a proxy. */
    static boolean isMadeAtRunTime(String type) {
        return type.indexOf('/') >= 0 || type.indexOf("$Proxy") >= 0;
    }

    /** A primitive value, a box or a text as it was in the other run. */
    static Object parsed(String type, Object value) {
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

    /** A value of this run as an answer shows it. */
    static String shown(Object here) {
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

    /** A text in quotes, cut off where it is long. */
    static String quoted(String text) {
        String begin = text.length() > 100 ? text.substring(0, 100) + "…" : text;
        return "\"" + begin.replace("\n", "\\n") + "\"";
    }
}
