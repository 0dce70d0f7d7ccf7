package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the code in recorded methods calls: it writes events into the ring of their thread, outside the heap.
 *
 * <p>A method looks its ring up once, as it is entered, and hands it to every call. An event is written behind the last
 * one and becomes part of the ring by one store at its end, so that who reads it sees whole events.
 */
public final class QuerypointTrace {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The words of a ring, and where its data is: {@code wire::recording}. */
    private static final int WRITTEN = 0;
    private static final int LIMIT = 8;
    static final int ENDED = 128;
    private static final int DATA = 1 << 16;
    private static final int SIZE = 1 << 20;
    private static final int TURN = 1;
    private static final int MET = 1 << 31;
    private static final int TEXT = 100;
    private static final int NAME = 400;

    /** Where writes go that nobody reads: of a thread that has no ring. */
    private static final long NOWHERE = QuerypointTraceAgent.reserve(SIZE);
    /** A bit for each object that was met, by its identity hash code. */
    private static final long SEEN = QuerypointTraceAgent.reserve(1L << 28);
    /** How often a thread went on where another one had recorded before. */
    private static long turns;

    /** The thread that recorded last. */
    private static QuerypointTraceThread current;

    /** A call of this class was refused for want of stack. */
    public static boolean cut;

    static {
        // Later there may be no stack to initialise it.
        U.ensureClassInitialized(QuerypointTraceThread.class);
        U.ensureClassInitialized(QuerypointTraceWrites.class);
        U.ensureClassInitialized(QuerypointTraceWindow.class);
        U.ensureClassInitialized(QuerypointProbeNumber.class);
    }

    @Hidden
    private QuerypointTrace() {
    }

    /** The ring of this thread; 0 where it has none. */
    @Hidden
    @ForceInline
    public static long ring() {
        QuerypointTraceThread known = current;
        return known != null && known.thread == Thread.currentThread() ? known.ring : arrive();
    }

    @Hidden
    @DontInline
    private static long arrive() {
        QuerypointTraceThread own = QuerypointTraceThread.of(Thread.currentThread());
        if (own == null || own.ring == 0) {
            return 0;
        }
        turn(own);
        return own.ring;
    }

    /** This thread goes on where another one has recorded before. That one finds no room any more, and comes here too before
     * it records again: all events before a turn are older than those behind it, or neither knows of the other. */
    @Hidden
    private static void turn(QuerypointTraceThread own) {
        synchronized (QuerypointTraceThread.TURN) {
            QuerypointTraceThread before = current;
            if (before == own) {
                return;
            }
            current = own;
            U.fullFence();
            if (before != null) {
                U.putLong(before.ring + LIMIT, 0);
            }
            room(own.ring, 12);
            long at = at(own.ring);
            U.putInt(at, TURN);
            U.putLong(at + 4, ++turns);
            wrote(own.ring, at + 12);
        }
    }

    /** Where the next event goes. */
    @Hidden
    @ForceInline
    private static long at(long ring) {
        return ring + DATA + (U.getLong(ring + WRITTEN) & SIZE - 1);
    }

    /** The ring is full, or another thread has recorded since. */
    @Hidden
    @DontInline
    private static void await(long ring, int most) {
        QuerypointTraceThread last = current;
        while (last == null || last.ring != ring) {
            QuerypointTraceThread own = QuerypointTraceThread.of(Thread.currentThread());
            if (own == null || own.ring != ring) {
                break;
            }
            turn(own);
            last = current;
        }
        room(ring, most);
        // Whoever took the turn meanwhile has said that there is no room, and that was just written over.
        U.fullFence();
        if (current != last) {
            U.putLong(ring + LIMIT, 0);
        }
    }

    @Hidden
    private static void room(long ring, int most) {
        if (!QuerypointTraceAgent.await(ring, most)) {
            // Nobody reads any more: what is written over is lost, and that is known.
            U.putLong(ring + LIMIT, Long.MAX_VALUE);
        }
    }

    /** An event begins that is no longer than so many bytes: where its values go. */
    @Hidden
    @ForceInline
    public static long begin(long ring, int site, int most) {
        if (ring == 0) {
            return NOWHERE;
        }
        if (U.getLong(ring + WRITTEN) + most > U.getLong(ring + LIMIT)) {
            await(ring, most);
        }
        long at = at(ring);
        U.putInt(at, site);
        return at + 4;
    }

    /** The event is whole. */
    @Hidden
    @ForceInline
    public static void end(long at, long ring) {
        if (ring != 0) {
            wrote(ring, at);
        }
    }

    @Hidden
    @ForceInline
    private static void wrote(long ring, long at) {
        long before = U.getLong(ring + WRITTEN);
        U.putLongRelease(null, ring + WRITTEN, before + (at - (ring + DATA + (before & SIZE - 1))));
    }

    /** A value of the event; where the next one goes. */
    @Hidden
    @ForceInline
    public static long value(int value, long at) {
        U.putInt(at, value);
        return at + 4;
    }

    @Hidden
    @ForceInline
    public static long value(long value, long at) {
        U.putLong(at, value);
        return at + 8;
    }

    @Hidden
    @ForceInline
    public static long value(float value, long at) {
        U.putInt(at, Float.floatToRawIntBits(value));
        return at + 4;
    }

    @Hidden
    @ForceInline
    public static long value(double value, long at) {
        U.putLong(at, Double.doubleToRawLongBits(value));
        return at + 8;
    }

    @Hidden
    @ForceInline
    public static long value(Object value, long at) {
        if (value == null) {
            U.putInt(at, 0);
            return at + 4;
        }
        int number = QuerypointProbeNumber.of(value);
        if (number == 0 || !seen(number)) {
            return meet(value, at);
        }
        U.putInt(at, number);
        return at + 4;
    }

    /** An object that may be met for the first time: then what it is follows, and its class. */
    @Hidden
    @DontInline
    private static long meet(Object value, long at) {
        int number = System.identityHashCode(value);
        // Where nobody reads nobody would know what it is.
        if (at >= NOWHERE && at < NOWHERE + SIZE || seen(number)) {
            U.putInt(at, number);
            return at + 4;
        }
        see(number);
        Class<?> of = value.getClass();
        int kind = System.identityHashCode(of);
        int what = value instanceof String ? 1 : of.isArray() ? 2 : isBox(of) ? 3 : 0;
        U.putInt(at, number | MET);
        U.putByte(at + 4, (byte) what);
        if (seen(kind)) {
            U.putInt(at + 5, kind);
            at += 9;
        } else {
            see(kind);
            U.putInt(at + 5, kind | MET);
            at = name(of, at + 9);
        }
        if (what == 1) {
            return text((String) value, at);
        }
        if (what == 2) {
            U.putInt(at, java.lang.reflect.Array.getLength(value));
            return at + 4;
        }
        if (what == 3) {
            U.putLong(at, bits(value));
            return at + 8;
        }
        return at;
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
    private static long bits(Object box) {
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

    @Hidden
    @ForceInline
    private static boolean seen(int number) {
        return (U.getByte(SEEN + (number >>> 3)) >>> (number & 7) & 1) != 0;
    }

    /** Two threads may do so at once, and one bit be lost: then its object is met once more. */
    @Hidden
    private static void see(int number) {
        long at = SEEN + (number >>> 3);
        U.putByte(at, (byte) (U.getByte(at) | 1 << (number & 7)));
    }

    /** The name of a class, in UTF-16. The VM makes it when it is asked for the first time. */
    @Hidden
    private static long name(Class<?> of, long at) {
        String name;
        try {
            name = of.getName();
        } catch (OutOfMemoryError e) {
            name = "";
            QuerypointTraceAgent.lose(QuerypointTraceAgent.NAME);
        }
        int length = Math.min(name.length(), NAME / 2);
        U.putShort(at, (short) length);
        return characters(name, length, at + 2);
    }

    /** How long a text is, and how it begins. */
    @Hidden
    private static long text(String text, long at) {
        int length = Math.min(text.length(), TEXT);
        U.putInt(at, text.length());
        U.putShort(at + 4, (short) length);
        return characters(text, length, at + 6);
    }

    @Hidden
    private static long characters(String text, int length, long at) {
        for (int i = 0; i < length; i++) {
            U.putChar(at + 2L * i, text.charAt(i));
        }
        return at + 2L * length;
    }

    /** An event without a value. */
    @Hidden
    @ForceInline
    public static void event(long ring, int site) {
        end(begin(ring, site, 4), ring);
    }

    /** An event with one value. */
    @Hidden
    @ForceInline
    public static void event(int value, long ring, int site) {
        end(value(value, begin(ring, site, 8)), ring);
    }

    @Hidden
    @ForceInline
    public static void event(long value, long ring, int site) {
        end(value(value, begin(ring, site, 12)), ring);
    }

    @Hidden
    @ForceInline
    public static void event(float value, long ring, int site) {
        end(value(value, begin(ring, site, 8)), ring);
    }

    @Hidden
    @ForceInline
    public static void event(double value, long ring, int site) {
        end(value(value, begin(ring, site, 12)), ring);
    }

    @Hidden
    @ForceInline
    public static void event(Object value, long ring, int site) {
        end(value(value, begin(ring, site, 4 + REFERENCE)), ring);
    }

    /** As {@link #event(Object, long, int)}, where it is rare: methods that are recorded should stay small. */
    @Hidden
    @DontInline
    public static void rare(Object value, long ring, int site) {
        event(value, ring, site);
    }

    /** The longest record of a reference. */
    static final int REFERENCE = 4 + 1 + 4 + 2 + NAME + 4 + 2 + 2 * TEXT;
}
