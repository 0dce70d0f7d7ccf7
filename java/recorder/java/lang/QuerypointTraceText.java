package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the code that is put into the JDK's builders and streams calls, where a run is recorded with its
 * writes. A builder that recorded code has met records its text once, and then each change. A stream records
 * what is printed on it.
 *
 * <p>It runs no code of the program: it reads the fields of builders, and the arguments of the methods of
 * streams that take characters or bytes. The outermost method on an object records a change. So appending
 * costs a time in proportion to what is appended, however the methods of a JDK call each other.
 */
public final class QuerypointTraceText {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The number that begins such an event, what is done, and more about it: {@code wire::recording}. */
    private static final int TEXT_CHANGE = 8;
    private static final int WHOLE = 1;
    private static final int EDIT = 2;
    private static final int PRINT = 3;
    private static final int SAME_AS = 4;
    private static final int OF_BYTES = 1 << 8;
    private static final int TWO_BYTES = 1 << 9;
    private static final int ON_OUT = 1 << 10;
    private static final int ON_ERR = 1 << 11;
    private static final int AT_END = 1 << 12;

    /** The most bytes of a text that one event has. */
    private static final int MOST = 4000;
    private static final long DIGEST = 0xcbf29ce484222325L;
    private static final long PRIME = 0x100000001b3L;

    private static final long CHARS = offset(QuerypointLayouts.CHARS);
    private static final long CHAR_COUNT = offset(QuerypointLayouts.CHARS_COUNT);
    private static final long BYTES = offset(QuerypointLayouts.BYTES);
    private static final long BYTE_COUNT = offset(QuerypointLayouts.BYTES_COUNT);
    private static final long BUFFER = offset(QuerypointLayouts.WRITTEN);

    /** Where the elements of arrays begin. */
    private static final long BYTES_BEGIN = begin("ARRAY_BYTE_BASE_OFFSET");
    private static final long CHARS_BEGIN = begin("ARRAY_CHAR_BASE_OFFSET");

    @Hidden
    private QuerypointTraceText() {
    }

    /** The constant is an `int` in some JDKs, and a `long` in others. */
    @Hidden
    private static long begin(String constant) {
        try {
            return ((Number) Unsafe.class.getField(constant).get(null)).longValue();
        } catch (ReflectiveOperationException e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.CONTENTS);
            return 16;
        }
    }

    /** -1 where there is no such field: then no object of the class is read. */
    @Hidden
    private static long offset(String[] field) {
        try {
            return QuerypointTraceContents.ON ? QuerypointLayouts.offset(field) : -1;
        } catch (Throwable e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.CONTENTS);
            return -1;
        }
    }

    /** The number of an object that was met; 0 for any other. */
    @Hidden
    @ForceInline
    private static int followed(Object owner) {
        int number = QuerypointTraceContents.ON ? QuerypointProbeNumber.known(owner) : QuerypointProbeNumber.NONE;
        return QuerypointTrace.seen(number) ? number : 0;
    }

    /** An object was met, or is named in a window for the first time: its text, if it has one. */
    @Hidden
    static void met(Object value, int number) {
        if (value instanceof AbstractStringBuilder || isInMemory(value)) {
            whole(value, number);
        }
    }

    @Hidden
    private static boolean isInMemory(Object value) {
        return value instanceof java.io.StringWriter && BUFFER >= 0
                || value instanceof java.io.CharArrayWriter && CHARS >= 0
                || value instanceof java.io.ByteArrayOutputStream && BYTES >= 0;
    }

    /** Records a whole text. */
    @Hidden
    @DontInline
    private static void whole(Object self, int number) {
        if (self instanceof java.io.StringWriter) {
            Object buffer = U.getReference(self, BUFFER);
            // One that is being made may have none yet.
            if (buffer != null) {
                tell(number, SAME_AS, -1, QuerypointTraceContents.number(buffer), 0, null, 0, false, 0);
            }
        } else if (units(self) != null) {
            edited(self, number, WHOLE, 0, 0, length(self));
        }
    }

    @Hidden
    private static int length(Object self) {
        if (self instanceof AbstractStringBuilder) {
            return ((AbstractStringBuilder) self).count;
        }
        return U.getInt(self, self instanceof java.io.CharArrayWriter ? CHAR_COUNT : BYTE_COUNT);
    }

    /** The array that holds a text in memory; null as long as it is being made. */
    @Hidden
    private static Object units(Object self) {
        if (self instanceof AbstractStringBuilder) {
            return ((AbstractStringBuilder) self).value;
        }
        return U.getReference(self, self instanceof java.io.CharArrayWriter ? CHARS : BYTES);
    }

    /** Records a change of a text in memory, whose inserted part is there now. */
    @Hidden
    private static void edited(Object self, int number, int what, int from, int removed, int inserted) {
        int shift = 0;
        if (self instanceof AbstractStringBuilder) {
            shift = ((AbstractStringBuilder) self).coder;
        } else if (self instanceof java.io.CharArrayWriter) {
            shift = 1;
        } else {
            what |= OF_BYTES;
        }
        Object units = units(self);
        long base = units instanceof char[] ? CHARS_BEGIN : BYTES_BEGIN;
        int capacity = units instanceof char[] ? ((char[]) units).length : ((byte[]) units).length >> shift;
        if (from < 0 || inserted < 0 || inserted > capacity - from) {
            // Another thread has changed it meanwhile.
            QuerypointTraceAgent.lose(QuerypointTraceAgent.CONTENTS);
            return;
        }
        tell(number, what, length(self), from, removed, units, base + ((long) from << shift), shift == 1, inserted);
    }

    /** Writes an event. `units` is an array; what is inserted begins at `base` in it. */
    @Hidden
    private static void tell(
            int number,
            int what,
            int length,
            int from,
            int removed,
            Object units,
            long base,
            boolean isWide,
            int inserted) {
        long ring = QuerypointTraceContents.ring();
        if (ring == 0) {
            return;
        }
        int shift = isWide ? 1 : 0;
        int shown = Math.min(inserted, MOST >> shift);
        long digest = 0;
        if (shown < inserted) {
            digest = DIGEST;
            for (int i = 0; i < inserted; i++) {
                int unit = isWide ? U.getChar(units, base + 2L * i) : U.getByte(units, base + i) & 0xff;
                digest = (digest ^ unit) * PRIME;
            }
        }
        int flags = isWide ? what | TWO_BYTES : what;
        // Most changes are like this, and take little room.
        boolean isAtEnd = inserted > 0 && shown == inserted && removed == 0 && (length < 0 || from + inserted == length);
        long begin = QuerypointTrace.begin(ring);
        U.putInt(null, begin, TEXT_CHANGE);
        U.putInt(null, begin + 4, number);
        U.putInt(null, begin + 8, isAtEnd ? flags | AT_END : flags);
        U.putInt(null, begin + 12, length);
        U.putInt(null, begin + 16, inserted);
        long at = begin + 20;
        if (!isAtEnd) {
            U.putInt(null, at, from);
            U.putInt(null, at + 4, removed);
            U.putLong(null, at + 8, digest);
            U.putInt(null, at + 16, shown);
            at += 20;
        }
        int bytes = shown << shift;
        if (bytes > 32) {
            U.copyMemory(units, base, null, at, bytes);
        } else {
            for (int i = 0; i < bytes; i++) {
                U.putByte(null, at + i, U.getByte(units, base + i));
            }
        }
        QuerypointTrace.advance(ring, (int) (at - begin) + bytes);
    }

    /** A method begins that can change a text in memory: its length; -1 where this call records nothing. */
    @Hidden
    public static int begins(Object self) {
        return followed(self) == 0 ? -1 : entered(self);
    }

    @Hidden
    @DontInline
    private static int entered(Object self) {
        QuerypointTraceThread own = QuerypointTraceThread.of(Thread.currentThread());
        return own != null && (self instanceof AbstractStringBuilder || isInMemory(self)) && own.prints(self)
                ? length(self)
                : -1;
    }

    /** Such a method ends: the number of its object; 0 where nothing is recorded. */
    @Hidden
    private static int ended(Object self) {
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        if (own != null) {
            own.printed(self);
        }
        int number = followed(self);
        if (number == 0 || !QuerypointTraceContents.looks(number)) {
            return number;
        }
        QuerypointTrace.number(self);
        whole(self, number);
        return 0;
    }

    /** Something was appended. */
    @Hidden
    public static void appended(Object self, int before) {
        int number = before < 0 ? 0 : ended(self);
        if (number != 0) {
            int after = length(self);
            if (after < before) {
                whole(self, number);
            } else if (after > before) {
                edited(self, number, EDIT, before, 0, after - before);
            }
        }
    }

    /** Something was inserted. */
    @Hidden
    public static void inserted(Object self, int before, int from) {
        int number = before < 0 ? 0 : ended(self);
        int inserted = number == 0 ? 0 : length(self) - before;
        if (inserted > 0) {
            edited(self, number, EDIT, from, 0, inserted);
        }
    }

    /** Something was deleted. */
    @Hidden
    public static void deleted(Object self, int before, int from) {
        int number = before < 0 ? 0 : ended(self);
        int removed = number == 0 ? 0 : before - length(self);
        if (removed > 0) {
            edited(self, number, EDIT, from, removed, 0);
        }
    }

    /** A part of it was replaced. */
    @Hidden
    public static void replaced(Object self, int before, int from, int to) {
        int number = before < 0 ? 0 : ended(self);
        if (number != 0) {
            int removed = Math.min(to, before) - from;
            edited(self, number, EDIT, from, removed, length(self) - before + removed);
        }
    }

    /** One character was replaced. */
    @Hidden
    public static void set(Object self, int before, int from) {
        int number = before < 0 ? 0 : ended(self);
        if (number != 0) {
            edited(self, number, EDIT, from, 1, 1);
        }
    }

    /** Its length was set. */
    @Hidden
    public static void resized(Object self, int before) {
        int number = before < 0 ? 0 : ended(self);
        int after = number == 0 ? before : length(self);
        if (after < before) {
            edited(self, number, EDIT, after, before - after, 0);
        } else if (after > before) {
            edited(self, number, EDIT, before, 0, after - before);
        }
    }

    /** All of it may have changed. */
    @Hidden
    public static void rewritten(Object self, int before) {
        int number = before < 0 ? 0 : ended(self);
        if (number != 0) {
            edited(self, number, EDIT, 0, before, length(self));
        }
    }

    /** An exception leaves such a method. */
    @Hidden
    public static void left(Object self, int before) {
        int number = before < 0 ? 0 : ended(self);
        if (number != 0 && length(self) != before) {
            edited(self, number, EDIT, 0, before, length(self));
        }
    }

    /**
     * A method of a stream begins that prints: 0 where that is recorded, else -1. It is not on a stream that
     * only another one knows, which is printing.
     */
    @Hidden
    public static int prints(Object self) {
        if (!QuerypointTraceContents.ON) {
            return -1;
        }
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        if (own == null || own.ring == 0) {
            return -1;
        }
        boolean isWanted = !own.isPrinting() || self == System.out || self == System.err || followed(self) != 0;
        return isWanted && own.prints(self) ? 0 : -1;
    }

    /** A method begins that passes on what was printed before: 0, or -1 in another one. */
    @Hidden
    public static int flushes(Object self) {
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        return own != null && own.prints(self) ? 0 : -1;
    }

    /** It ends, or an exception leaves a method that prints. */
    @Hidden
    public static void flushed(Object self, int begun) {
        QuerypointTraceThread own = begun < 0 ? null : QuerypointTraceThread.known(Thread.currentThread());
        if (own != null) {
            own.printed(self);
        }
    }

    @Hidden
    private static void print(Object self, int begun, int of, Object units, long base, boolean isWide, int count) {
        flushed(self, begun);
        if (begun < 0 || count <= 0 || QuerypointTraceContents.ring() == 0) {
            return;
        }
        int number = QuerypointTraceContents.number(self);
        int on = self == System.out ? ON_OUT : self == System.err ? ON_ERR : 0;
        tell(number, PRINT | of | on, -1, 0, 0, units, base, isWide, count);
    }

    /** One character was printed. */
    @Hidden
    public static void chars(Object self, int begun, int unit) {
        if (begun >= 0) {
            chars(self, begun, new char[] {(char) unit}, 0, 1);
        }
    }

    @Hidden
    public static void chars(Object self, int begun, char[] text) {
        chars(self, begun, text, 0, text.length);
    }

    @Hidden
    public static void chars(Object self, int begun, char[] text, int from, int count) {
        if (begun >= 0) {
            print(self, begun, 0, text, CHARS_BEGIN + 2L * from, true, count);
        }
    }

    @Hidden
    public static void chars(Object self, int begun, String text) {
        if (begun >= 0) {
            chars(self, begun, text, 0, text.length());
        }
    }

    @Hidden
    public static void chars(Object self, int begun, String text, int from, int count) {
        if (begun >= 0) {
            int shift = text.coder();
            long base = BYTES_BEGIN + ((long) from << shift);
            print(self, begun, 0, text.value(), base, shift == 1, count);
        }
    }

    /** A line was printed, or the end of one. */
    @Hidden
    public static void line(Object self, int begun) {
        chars(self, begun, System.lineSeparator());
    }

    @Hidden
    public static void line(Object self, int begun, String text) {
        if (begun >= 0) {
            chars(self, begun, text.concat(System.lineSeparator()));
        }
    }

    @Hidden
    public static void line(Object self, int begun, char[] text) {
        if (begun >= 0) {
            line(self, begun, new String(text));
        }
    }

    /** Bytes were printed. */
    @Hidden
    public static void bytes(Object self, int begun, int unit) {
        if (begun >= 0) {
            bytes(self, begun, new byte[] {(byte) unit}, 0, 1);
        }
    }

    @Hidden
    public static void bytes(Object self, int begun, byte[] text) {
        bytes(self, begun, text, 0, text.length);
    }

    @Hidden
    public static void bytes(Object self, int begun, byte[] text, int from, int count) {
        if (begun >= 0) {
            print(self, begun, OF_BYTES, text, BYTES_BEGIN + from, false, count);
        }
    }
}
