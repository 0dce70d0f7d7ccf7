import java.lang.reflect.Field;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.regex.Pattern;
import jdk.internal.misc.Unsafe;

/** Rebuilds objects that their content identifies: immutable objects of the JDK, and records. */
final class QuerypointReferenceContent {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();

    private QuerypointReferenceContent() {
    }

    /**
     * An immutable object of the JDK with a content, as a question names it; null for objects of other
     * classes.
     */
    static Object value(String type, String content) {
        boolean isEmpty = content.equals("empty");
        switch (type) {
            case "java.util.Optional": return isEmpty ? Optional.empty() : null;
            case "java.util.OptionalInt":
                return isEmpty ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(content));
            case "java.util.OptionalLong":
                return isEmpty ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(content));
            case "java.util.OptionalDouble":
                return isEmpty ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(content));
            case "java.util.UUID": return UUID.fromString(content);
            case "java.util.Locale": return locale(content);
            case "java.util.regex.Pattern":
                int end = content.lastIndexOf('/');
                String flags = content.substring(end + 1);
                return Pattern.compile(content.substring(1, end), flags.isEmpty() ? 0 : Integer.parseInt(flags));
            case "java.math.BigInteger": return new BigInteger(content);
            case "java.math.BigDecimal": return new BigDecimal(content);
            case "java.time.LocalDate": return LocalDate.parse(content);
            case "java.time.LocalTime": return LocalTime.parse(content);
            case "java.time.LocalDateTime": return LocalDateTime.parse(content);
            case "java.time.OffsetDateTime": return OffsetDateTime.parse(content);
            case "java.time.ZonedDateTime": return ZonedDateTime.parse(content);
            case "java.time.ZoneOffset":
            case "java.time.ZoneRegion": return ZoneId.of(content);
            case "java.time.Instant": return Instant.parse(content);
            case "java.time.Duration": return Duration.parse(content);
            case "java.time.Period": return Period.parse(content);
            case "java.time.Year": return Year.of(Integer.parseInt(content));
            case "java.time.YearMonth": return YearMonth.parse(content);
            default: return null;
        }
    }

    /** Whether two objects have the same content. The JDK compares patterns by identity. */
    static boolean isSame(Object one, Object other) {
        if (one instanceof Pattern && other instanceof Pattern) {
            Pattern there = (Pattern) other;
            return ((Pattern) one).pattern().equals(there.pattern()) && ((Pattern) one).flags() == there.flags();
        }
        return one.equals(other);
    }

    /** A locale from its language, region, variant and script: {@code en_US}, {@code zh_TW_#Hant}. */
    private static Locale locale(String content) {
        int script = content.indexOf("_#");
        String[] parts = (script < 0 ? content : content.substring(0, script)).split("_", 3);
        String language = parts[0].equals("-") ? "" : parts[0];
        Locale plain =
            new Locale(language, parts.length > 1 ? parts[1] : "", parts.length > 2 ? parts[2] : "");
        return script < 0
            ? plain
            : new Locale.Builder().setLocale(plain).setScript(content.substring(script + 2)).build();
    }

    /** Whether the text of an object says what it is: a number, a date or another JDK value. */
    static boolean isShown(Class<?> of) {
        String name = of.getName();
        return name.startsWith("java.math.") || name.startsWith("java.time.") || of == UUID.class
            || of == Locale.class || of == Pattern.class || of == OptionalInt.class || of == OptionalLong.class
            || of == OptionalDouble.class;
    }

    /** Whether objects of a class are records. */
    static boolean isRecord(Class<?> of) {
        Class<?> above = of.getSuperclass();
        return above != null && above.getName().equals("java.lang.Record");
    }

    /** Sets a field of a record, which reflection refuses. No constructor of the program checks the value. */
    static void set(Object record, Field field, Object value) {
        long at = UNSAFE.objectFieldOffset(field);
        Class<?> type = field.getType();
        if (type == int.class) {
            UNSAFE.putInt(record, at, (Integer) value);
        } else if (type == long.class) {
            UNSAFE.putLong(record, at, (Long) value);
        } else if (type == boolean.class) {
            UNSAFE.putBoolean(record, at, (Boolean) value);
        } else if (type == double.class) {
            UNSAFE.putDouble(record, at, (Double) value);
        } else if (type == float.class) {
            UNSAFE.putFloat(record, at, (Float) value);
        } else if (type == char.class) {
            UNSAFE.putChar(record, at, (Character) value);
        } else if (type == byte.class) {
            UNSAFE.putByte(record, at, (Byte) value);
        } else if (type == short.class) {
            UNSAFE.putShort(record, at, (Short) value);
        } else {
            UNSAFE.putReference(record, at, type.cast(value));
        }
    }
}
