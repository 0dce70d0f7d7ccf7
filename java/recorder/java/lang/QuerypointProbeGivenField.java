package java.lang;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * A field that a call of the JDK may write: by reflection, a handle, an updater, {@code Unsafe} or
 * deserialisation.
 */
public final class QuerypointProbeGivenField extends QuerypointProbeGiven {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** By query, where its field is in the objects of the classes met so far, newest first. */
    private static final Place[] PLACES = new Place[QuerypointProbe.QUERIES.length];

    /** A field in the objects of a class, or a static one. */
    static final class Place {
        /** The class of the objects; for a static field that whose code asked. */
        final Class<?> of;
        /** Null where they have no such field. */
        final Class<?> type;
        final long offset;
        /** The place of a static field; else null. */
        final Object base;
        final Place next;

        @Hidden
        Place(Class<?> of, Field field, Place next) {
            this.of = of;
            this.next = next;
            boolean isStatic = field != null && Modifier.isStatic(field.getModifiers());
            type = field == null ? null : field.getType();
            offset = field == null ? 0 : isStatic ? U.staticFieldOffset(field) : U.objectFieldOffset(field);
            base = isStatic ? U.staticFieldBase(field) : null;
        }
    }

    private final Place place;
    private final Object base;
    /** The value before the call. */
    private long held;
    private Object heldReference;
    /** The value that deserialisation has written. */
    private long now;
    private Object nowReference;
    /** What deserialisation has written next. */
    QuerypointProbeGivenField after;

    @Hidden
    private QuerypointProbeGivenField(Object beside, Object owner, Place place) {
        super(beside, owner);
        this.place = place;
        this.base = owner == null ? place.base : owner;
        held = bits();
        heldReference = reference();
    }

    /**
     * An object is about to be given to a call that may write its fields, beside what else the call is given.
     * Of a query for a static field it is null.
     */
    @Hidden
    public static Object given(Object beside, Object owner, Class<?> code, int how, int site, int query) {
        Object given = ready(beside, owner, code, how, site, query);
        if (given != beside) {
            ((QuerypointProbeGiven) given).open();
        }
        return given;
    }

    /** As {@link #given}, where no code of the program can write until it is compared. */
    @Hidden
    static Object ready(Object beside, Object owner, Class<?> code, int how, int site, int query) {
        try {
            Class<?> of = owner == null ? code : owner.getClass();
            Place place = of == null ? null : place(query, of);
            if (place == null || place.type == null || (place.base != null) != (owner == null)) {
                return beside;
            }
            for (QuerypointProbeGiven one = (QuerypointProbeGiven) beside; one != null; one = one.beside()) {
                if (one.owner == owner && one instanceof QuerypointProbeGivenField) {
                    QuerypointProbeGivenField known = (QuerypointProbeGivenField) one;
                    if (known.place.base == place.base && known.place.offset == place.offset) {
                        known.add(site, query, how);
                        return beside;
                    }
                }
            }
            QuerypointProbeGivenField given = new QuerypointProbeGivenField(beside, owner, place);
            given.add(site, query, how);
            return given;
        } catch (OutOfMemoryError e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.GIVEN);
            return beside;
        }
    }

    /** Fields of handles that hold what is bound to the handle, by the class of the handle. */
    private static final Class<?>[] HANDLES = new Class<?>[64];
    private static final long[][] BOUND = new long[64][];
    private static int handles;
    /** A bound handle may be bound again. */
    private static final int DEEPEST = 8;

    /**
     * A method handle is about to be called, which may write a field of an object that is bound to it.
     */
    @Hidden
    public static Object bound(Object beside, Object handle, int how, int site, int query) {
        try {
            return bound(beside, handle, how, site, query, DEEPEST);
        } catch (OutOfMemoryError e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.GIVEN);
            return beside;
        }
    }

    @Hidden
    private static Object bound(Object beside, Object handle, int how, int site, int query, int deep) {
        if (handle == null || deep == 0) {
            return beside;
        }
        Object given = beside;
        for (long offset : references(handle.getClass())) {
            Object value = U.getReference(handle, offset);
            if (value instanceof java.lang.invoke.MethodHandle) {
                given = bound(given, value, how, site, query, deep - 1);
            } else if (value != null) {
                given = given(given, value, null, how, site, query);
            }
        }
        return given;
    }

    /** Where the objects of a class of handles have references, besides those of all handles. */
    @Hidden
    private static long[] references(Class<?> of) {
        synchronized (HANDLES) {
            for (int i = 0; i < HANDLES.length && HANDLES[i] != null; i++) {
                if (HANDLES[i] == of) {
                    return BOUND[i];
                }
            }
            long[] all = new long[0];
            Class<?> top = java.lang.invoke.MethodHandle.class;
            for (Class<?> at = of; at != top && at != null; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                        long[] more = new long[all.length + 1];
                        System.arraycopy(all, 0, more, 0, all.length);
                        more[all.length] = U.objectFieldOffset(field);
                        all = more;
                    }
                }
            }
            HANDLES[handles] = of;
            BOUND[handles] = all;
            handles = (handles + 1) % HANDLES.length;
            return all;
        }
    }

    @Hidden
    private static Place place(int query, Class<?> of) {
        for (Place place = PLACES[query]; place != null; place = place.next) {
            if (place.of == of) {
                return place;
            }
        }
        Field field = QuerypointProbeAgent.written(query, of);
        synchronized (PLACES) {
            Place place = new Place(of, field, PLACES[query]);
            if (field != null || !QuerypointProbeAgent.isStatic(query)) {
                U.storeFence();
                PLACES[query] = place;
            }
            // Otherwise the class of the static field may be loaded later.
            return place;
        }
    }

    @Override
    @Hidden
    void compare() {
        long old = held;
        Object oldReference = heldReference;
        long now = bits();
        Object reference = reference();
        if (old != now || oldReference != reference) {
            for (QuerypointProbeGiven one = open; one != null; one = one.next) {
                if (one instanceof QuerypointProbeGivenField) {
                    QuerypointProbeGivenField other = (QuerypointProbeGivenField) one;
                    if (other.base == base && other.place.offset == place.offset) {
                        other.held = now;
                        other.heldReference = reference;
                    }
                }
            }
            hit(0, old, oldReference, now, reference);
        }
    }

    /** Whether deserialisation has changed it. */
    @Hidden
    boolean isWritten() {
        now = bits();
        nowReference = reference();
        return now != held || nowReference != heldReference;
    }

    /** Hits for what deserialisation has changed, unless the program has written the field since. */
    @Hidden
    void report() {
        if (bits() == now && reference() == nowReference) {
            hit(0, held, heldReference, now, nowReference);
        }
    }

    @Hidden
    private Object reference() {
        return place.type.isPrimitive() ? null : U.getReferenceVolatile(base, place.offset);
    }

    @Hidden
    private long bits() {
        Class<?> type = place.type;
        long offset = place.offset;
        if (type == int.class || type == float.class) {
            return U.getIntVolatile(base, offset);
        }
        if (type == long.class || type == double.class) {
            return U.getLongVolatile(base, offset);
        }
        if (type == boolean.class || type == byte.class) {
            return U.getByteVolatile(base, offset);
        }
        if (type == char.class) {
            return U.getCharVolatile(base, offset);
        }
        return type == short.class ? U.getShortVolatile(base, offset) : 0;
    }

    /** A store of the program replaces what the field held before the calls that were given it. */
    @Hidden
    static void take(int query, Object owner, long bits, Object value) {
        for (QuerypointProbeGiven one = open; one != null; one = one.next) {
            if (one.owner == owner && one instanceof QuerypointProbeGivenField && one.isOf(query)) {
                QuerypointProbeGivenField given = (QuerypointProbeGivenField) one;
                given.held = given.narrowed(bits);
                given.heldReference = value;
            }
        }
    }

    /** The bits of a stored value, as the field then holds them. */
    @Hidden
    private long narrowed(long bits) {
        Class<?> type = place.type;
        return type == boolean.class ? bits & 1
                : type == byte.class ? (byte) bits
                : type == char.class ? (char) bits
                : type == short.class ? (short) bits
                : bits;
    }
}
