import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** Classes and fields of the program by their names. */
final class QuerypointReferenceClasses {
    static final sun.misc.Unsafe UNSAFE = unsafe();

    private QuerypointReferenceClasses() {
    }

    /** A class or a type by the name that Java source has for it, such as {@code int[]}. */
    static Class<?> named(String name) throws ClassNotFoundException {
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

    /** The loader of the program. */
    static ClassLoader loader() {
        return ClassLoader.getSystemClassLoader();
    }

    /**
     * A field of a class or of one above it. {@code Base.n} is the field of that class, where another one
     * hides it.
     */
    static Field field(Class<?> of, String name) throws NoSuchFieldException {
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

    /** A static field, named with its class. */
    static Field staticOf(String name) throws ReflectiveOperationException {
        int dot = name.lastIndexOf('.');
        return field(named(name.substring(0, dot)), name.substring(dot + 1));
    }

    /** A value as a variable of this type holds it. */
    static Object narrowed(Object value, Class<?> to) {
        if (!(value instanceof Number) || !to.isPrimitive()) {
            return value;
        }
        Number number = (Number) value;
        return to == byte.class ? (Object) number.byteValue() : to == short.class ? (Object) number.shortValue() : number;
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
}
