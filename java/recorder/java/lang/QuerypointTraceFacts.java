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
    /** Its fields tell it: see {@link #TABLE}. */
    static final int FIELDS = 8;

    /**
     * Classes of the JDK whose objects never change, and the fields that tell them, in the order of {@code
     * model::Fact::fields}.
     */
    private static final String[][] TABLE = {
        {"java.util.Optional", "value"},
        {"java.util.OptionalInt", "isPresent", "value"},
        {"java.util.OptionalLong", "isPresent", "value"},
        {"java.util.OptionalDouble", "isPresent", "value"},
        {"java.util.UUID", "mostSigBits", "leastSigBits"},
        {"java.math.BigInteger", "signum", "mag"},
        {"java.math.BigDecimal", "intVal", "scale", "intCompact"},
        {"java.util.regex.Pattern", "pattern", "flags"},
        {"java.util.Locale", "baseLocale", "localeExtensions"},
        {"sun.util.locale.BaseLocale", "language", "region", "variant", "script"},
        {"java.time.LocalDate", "year", "month", "day"},
        {"java.time.LocalTime", "hour", "minute", "second", "nano"},
        {"java.time.LocalDateTime", "date", "time"},
        {"java.time.OffsetDateTime", "dateTime", "offset"},
        {"java.time.ZonedDateTime", "dateTime", "offset", "zone"},
        {"java.time.ZoneOffset", "id"},
        {"java.time.ZoneRegion", "id"},
        {"java.time.Instant", "seconds", "nanos"},
        {"java.time.Duration", "seconds", "nanos"},
        {"java.time.Period", "years", "months", "days"},
        {"java.time.Year", "year"},
        {"java.time.YearMonth", "year", "month"},
    };
    /** Longest {@code BigInteger} that is told, in words. */
    private static final int WORDS = 64;

    /** The classes of the table that were met. */
    private static volatile Known[] known = {};

    /** A class, with the types of those fields as descriptors name them, and where they are. */
    private static final class Known {
        final Class<?> of;
        final char[] types;
        final long[] offsets;

        @Hidden
        Known(Class<?> of, int fields) {
            this.of = of;
            types = new char[fields];
            offsets = new long[fields];
        }
    }

    /** How many causes of an exception are told. */
    static final int CAUSES = 5;
    /** Where an exception has its message and its cause; -1 where this VM keeps them elsewhere. */
    private static final long MESSAGE = offset(Throwable.class, "detailMessage");
    private static final long CAUSE = offset(Throwable.class, "cause");
    /** Where the one exception has its cause whose `getCause` returns a field of its own. */
    private static final long TARGET = offset(java.lang.reflect.InvocationTargetException.class, "target");

    @Hidden
    private QuerypointTraceFacts() {
    }

    @Hidden
    private static long offset(Class<?> of, String field) {
        try {
            return U.objectFieldOffset(of, field);
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

    /**
     * The text that tells which object it is: of a text itself, a constant's name, an exception's message;
     * none of others.
     */
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

    /** The cause of an exception; null as long as it has none. */
    @Hidden
    static Object cause(Object exception) {
        long at = exception instanceof java.lang.reflect.InvocationTargetException ? TARGET : CAUSE;
        Object cause = at < 0 ? null : U.getReference(exception, at);
        return cause == exception ? null : cause;
    }

    /**
     * The fields that tell what an object of a class is; null where none do. A class is looked up by its name
     * as it is met first.
     */
    @Hidden
    static Object fields(Object value, Class<?> of, boolean isNew) {
        if (of.getClassLoader0() != null) {
            return null;
        }
        Known found = null;
        for (Known one : known) {
            if (one.of == of) {
                found = one;
                break;
            }
        }
        if (found == null && isNew) {
            found = learn(of);
        }
        if (found == null || found.types[found.types.length - 1] != '[') {
            return found;
        }
        // Nothing is told of a number that is not made yet, or is too long for an event.
        int[] words = words(value, found);
        return words == null || words.length > WORDS ? null : found;
    }

    @Hidden
    private static Known learn(Class<?> of) {
        String name = of.getName();
        for (String[] row : TABLE) {
            if (!row[0].equals(name)) {
                continue;
            }
            try {
                Known found = new Known(of, row.length - 1);
                for (int i = 1; i < row.length; i++) {
                    java.lang.reflect.Field field = of.getDeclaredField(row[i]);
                    found.types[i - 1] = field.getType().descriptorString().charAt(0);
                    found.offsets[i - 1] = U.objectFieldOffset(field);
                }
                synchronized (QuerypointTraceFacts.class) {
                    Known[] more = new Known[known.length + 1];
                    System.arraycopy(known, 0, more, 0, known.length);
                    more[known.length] = found;
                    known = more;
                }
                return found;
            } catch (NoSuchFieldException | StackOverflowError | OutOfMemoryError e) {
                // Another version of the JDK keeps it in another way, or there is no room.
                return null;
            }
        }
        return null;
    }

    @Hidden
    private static int[] words(Object value, Known fields) {
        return (int[]) U.getReference(value, fields.offsets[fields.offsets.length - 1]);
    }

    /** Meets the objects to which those fields refer. */
    @Hidden
    static void meet(Object value, Object of) {
        Known fields = (Known) of;
        for (int i = 0; i < fields.types.length; i++) {
            if (fields.types[i] == 'L') {
                QuerypointTrace.number(U.getReference(value, fields.offsets[i]));
            }
        }
    }

    /** Writes how many values there are, and each behind a letter: where the next byte goes. */
    @Hidden
    static long write(Object value, Object of, long at) {
        Known fields = (Known) of;
        long count = at++;
        for (int i = 0; i < fields.types.length; i++) {
            long offset = fields.offsets[i];
            switch (fields.types[i]) {
                case 'L':
                    at = write('L', QuerypointProbeNumber.give(U.getReference(value, offset)), at);
                    break;
                case '[':
                    for (int word : words(value, fields)) {
                        at = write('I', word, at);
                    }
                    break;
                case 'J':
                    at = write('J', U.getLong(value, offset), at);
                    break;
                case 'D':
                    at = write('D', U.getLong(value, offset), at);
                    break;
                case 'Z':
                    at = write('Z', U.getByte(value, offset), at);
                    break;
                case 'B':
                    at = write('I', U.getByte(value, offset), at);
                    break;
                case 'S':
                    at = write('I', U.getShort(value, offset), at);
                    break;
                default:
                    at = write('I', U.getInt(value, offset), at);
            }
        }
        U.putByte(null, count, (byte) ((at - count - 1) / 9));
        return at;
    }

    @Hidden
    private static long write(char letter, long value, long at) {
        U.putByte(null, at, (byte) letter);
        U.putLong(null, at + 1, value);
        return at + 9;
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
