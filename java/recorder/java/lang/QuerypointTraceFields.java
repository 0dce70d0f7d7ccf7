package java.lang;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * A field that a recorded method has written for it: by reflection, a {@code VarHandle} or an updater, with
 * what it held before. What it holds else behind the call is told.
 */
public final class QuerypointTraceFields {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** So many handles are known at a time. */
    private static final int MOST = 64;

    /** What is known of handles; which one goes next when there are more. */
    private static final Known[] KNOWN = new Known[MOST];
    private static int next;

    private final Known known;
    private final Object base;
    private final long held;
    private final Object heldReference;
    private final int site;

    /** What a handle writes. */
    private static final class Known {
        final Object handle;
        final Field field;
        final boolean isStatic;
        final long offset;
        final Class<?> type;
        /** The sites of calls that have written it, and their numbers as those that tell of it. */
        int[] sites = new int[4];
        int[] numbers = new int[4];
        int count;

        @Hidden
        Known(Object handle, Field field, long offset) {
            this.handle = handle;
            this.field = field;
            this.offset = offset;
            isStatic = Modifier.isStatic(field.getModifiers());
            type = field.getType();
        }

        /** Which site tells of it that a call has written it. */
        @Hidden
        int number(int site) {
            synchronized (KNOWN) {
                for (int i = 0; i < count; i++) {
                    if (sites[i] == site) {
                        return numbers[i];
                    }
                }
                if (count == sites.length) {
                    sites = java.util.Arrays.copyOf(sites, 2 * count);
                    numbers = java.util.Arrays.copyOf(numbers, 2 * count);
                }
                sites[count] = site;
                String declares = field.getDeclaringClass().getName();
                numbers[count] = QuerypointTraceAgent.write(site, declares, field.getName(), descriptor(type), isStatic);
                return numbers[count++];
            }
        }
    }

    @Hidden
    private QuerypointTraceFields(Known known, Object base, int site) {
        this.known = known;
        this.base = base;
        this.site = site;
        held = known.type.isPrimitive() ? bits(known, base) : 0;
        heldReference = known.type.isPrimitive() ? null : U.getReferenceVolatile(base, known.offset);
    }

    /**
     * A field is about to be written by a handle, of this object unless it is static: what {@link #back}
     * wants when that is done.
     */
    @Hidden
    public static Object given(Object handle, Object owner, long ring, int site) {
        if (handle == null || QuerypointTrace.isOutside(ring) || ring == QuerypointTrace.NOWHERE) {
            return null;
        }
        try {
            Known known = known(handle, owner);
            if (known == null) {
                return null;
            }
            Object base = known.isStatic ? U.staticFieldBase(known.field) : owner;
            if (base == null || !known.isStatic && !known.field.getDeclaringClass().isInstance(base)) {
                return null;
            }
            return new QuerypointTraceFields(known, base, site);
        } catch (OutOfMemoryError | LinkageError e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.HANDLE);
            return null;
        }
    }

    /** It is done. */
    @Hidden
    public static void back(Object given, long ring) {
        if (given == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        try {
            ((QuerypointTraceFields) given).tell(ring);
        } catch (OutOfMemoryError e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.HANDLE);
        }
    }

    @Hidden
    private void tell(long ring) {
        boolean isReference = !known.type.isPrimitive();
        Object reference = isReference ? U.getReferenceVolatile(base, known.offset) : null;
        long now = isReference ? 0 : bits(known, base);
        if (now == held && reference == heldReference) {
            return;
        }
        int number = known.number(site);
        if (number == 0) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.HANDLE);
            return;
        }
        int object = known.isStatic ? 0 : QuerypointTrace.number(base);
        if (known.type == long.class || known.type == double.class) {
            if (known.isStatic) {
                QuerypointTraceWrites.putStatic(held, now, ring, number);
            } else {
                QuerypointTraceWrites.told(object, held, now, ring, number);
            }
            return;
        }
        int old = isReference ? QuerypointTrace.number(heldReference, ring) : (int) held;
        int value = isReference ? QuerypointTrace.number(reference, ring) : (int) now;
        if (known.isStatic) {
            QuerypointTraceWrites.putStatic(old, value, ring, number);
        } else {
            QuerypointTraceWrites.told(object, old, value, ring, number);
        }
    }

    @Hidden
    private static long bits(Known known, Object base) {
        if (known.type == int.class) {
            return U.getIntVolatile(base, known.offset);
        }
        if (known.type == long.class || known.type == double.class) {
            return U.getLongVolatile(base, known.offset);
        }
        if (known.type == boolean.class || known.type == byte.class) {
            return U.getByteVolatile(base, known.offset);
        }
        if (known.type == char.class) {
            return U.getCharVolatile(base, known.offset);
        }
        return known.type == short.class ? U.getShortVolatile(base, known.offset) : U.getIntVolatile(base, known.offset);
    }

    /** Null where it is of no use here: then that is told. */
    @Hidden
    private static Known known(Object handle, Object owner) {
        for (Known known : KNOWN) {
            if (known != null && known.handle == handle) {
                return known;
            }
        }
        Known known = find(handle, owner);
        if (known == null) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.HANDLE);
            return null;
        }
        synchronized (KNOWN) {
            KNOWN[next++ % MOST] = known;
        }
        return known;
    }

    @Hidden
    private static Known find(Object handle, Object owner) {
        if (handle instanceof Field) {
            Field field = (Field) handle;
            return new Known(handle, field, offset(field));
        }
        // The JDK's handles know where their field is; one of a class that was not initialised stands before
        // such a one.
        Object direct = handle;
        Object base = null;
        Field at = null;
        if (handle.getClass().getName().equals("java.lang.invoke.LazyInitializingVarHandle")) {
            for (Field field : handle.getClass().getDeclaredFields()) {
                if (field.getName().equals("target")) {
                    direct = U.getReference(handle, U.objectFieldOffset(field));
                }
            }
        }
        for (Class<?> of = direct.getClass(); of != null && at == null; of = of.getSuperclass()) {
            for (Field field : of.getDeclaredFields()) {
                boolean isOffset = field.getName().equals("offset") || field.getName().equals("fieldOffset");
                if (isOffset && field.getType() == long.class) {
                    at = field;
                } else if (field.getName().equals("base")) {
                    base = U.getReference(direct, U.objectFieldOffset(field));
                }
            }
        }
        if (at == null) {
            return null;
        }
        long offset = U.getLong(direct, U.objectFieldOffset(at));
        boolean isStatic = base instanceof Class;
        Class<?> of = isStatic ? (Class<?>) base : owner == null ? null : owner.getClass();
        for (; of != null; of = isStatic ? null : of.getSuperclass()) {
            for (Field field : of.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) == isStatic && offset(field) == offset) {
                    return new Known(handle, field, offset);
                }
            }
        }
        return null;
    }

    @Hidden
    private static long offset(Field field) {
        return Modifier.isStatic(field.getModifiers()) ? U.staticFieldOffset(field) : U.objectFieldOffset(field);
    }

    @Hidden
    private static String descriptor(Class<?> type) {
        if (!type.isPrimitive()) {
            String name = type.getName().replace('.', '/');
            return type.isArray() ? name : "L" + name + ";";
        }
        return type == int.class ? "I"
                : type == long.class ? "J"
                : type == boolean.class ? "Z"
                : type == byte.class ? "B"
                : type == char.class ? "C"
                : type == short.class ? "S"
                : type == float.class ? "F"
                : "D";
    }
}
