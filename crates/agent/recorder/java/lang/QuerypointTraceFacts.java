package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/** What objects are that never change. It is read from their fields: no code of the program runs for it. */
final class QuerypointTraceFacts {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** What a meeting says of an object: {@code wire::recording}. */
    static final int PLAIN = 0;
    static final int TEXT = 1;
    static final int ARRAY = 2;
    static final int BOX = 3;
    static final int CONSTANT = 4;
    /** A constant of an enum that has a class of its own. */
    static final int CONSTANT_WITH_BODY = 5;
    static final int EXCEPTION = 6;
    static final int CLASS = 7;

    /** Where an exception has its message; -1 where this VM keeps it elsewhere. */
    private static final long MESSAGE = message();

    @Hidden
    private QuerypointTraceFacts() {
    }

    @Hidden
    private static long message() {
        try {
            return U.objectFieldOffset(Throwable.class, "detailMessage");
        } catch (InternalError e) {
            return -1;
        }
    }

    /** What an object of a class is. */
    @Hidden
    static int kind(Object value, Class<?> of) {
        if (value instanceof String) {
            return TEXT;
        }
        if (value instanceof Throwable) {
            return EXCEPTION;
        }
        if (value instanceof Enum) {
            // While it is made it has no name yet.
            return ((Enum<?>) value).name() == null ? PLAIN : of.getSuperclass() == Enum.class ? CONSTANT : CONSTANT_WITH_BODY;
        }
        return of.isArray() ? ARRAY : isBox(of) ? BOX : of == Class.class ? CLASS : PLAIN;
    }

    /** The text that tells which object it is: of a text itself, a constant's name, an exception's message; none of others. */
    @Hidden
    static String text(Object value, int kind) {
        switch (kind) {
            case TEXT:
                return (String) value;
            case CONSTANT:
            case CONSTANT_WITH_BODY:
                return ((Enum<?>) value).name();
            case EXCEPTION:
                // `getMessage` may be the program's.
                return MESSAGE < 0 ? null : (String) U.getReference(value, MESSAGE);
            default:
                return null;
        }
    }

    @Hidden
    private static boolean isBox(Class<?> of) {
        return of == Integer.class
                || of == Long.class
                || of == Boolean.class
                || of == Character.class
                || of == Double.class
                || of == Byte.class
                || of == Short.class
                || of == Float.class;
    }

    /** What a box holds. */
    @Hidden
    static long bits(Object box) {
        if (box instanceof Double) {
            return Double.doubleToRawLongBits((Double) box);
        }
        if (box instanceof Float) {
            return Float.floatToRawIntBits((Float) box);
        }
        if (box instanceof Boolean) {
            return (Boolean) box ? 1 : 0;
        }
        return box instanceof Character ? (Character) box : ((Number) box).longValue();
    }
}
