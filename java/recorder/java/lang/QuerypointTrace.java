package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the code in recorded methods calls: it writes events into the ring of their thread, outside the heap.
 *
 * <p>A method looks its ring up once, as it is entered, and hands it to every call. An event is written
 * behind the last one and becomes part of the ring by one store at its end, so that who reads it sees whole
 * events. Objects are met by events of their own, before those that name them: so it is known of every other
 * event how long it is.
 *
 * <p>This is most of what a recorded program does, and most of what the compilers of its VM have to do. What
 * is called most, {@code event}, {@code number} and {@code QuerypointTraceCalls.enter}, is written out: a
 * method of more than 35 bytes is not taken into its callers by the first compiler, which would count there
 * all that it does, but by the second one. A program that is warming up is faster by a fifth for that.
 */
public final class QuerypointTrace {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The words of a ring, and where its data is: {@code wire::recording}. */
    static final int WRITTEN = 0;
    static final int LIMIT = 8;
    static final int MASK = 16;
    static final int ENDED = 128;
    private static final int FLAG = 152;
    static final int DATA = 1 << 16;
    /** How much data the ring of those has that have none. */
    private static final int SIZE = 1 << 20;
    private static final int TURN = 1;
    private static final int MEETING = 2;
    private static final int END = 3;
    private static final int AROUND = 5;
    private static final int START = 6;
    private static final int NAMED = 1 << 31;
    private static final int TEXT = 100;
    private static final int MESSAGE = 1000;
    private static final int NAME = 400;

    /** The ring of threads that have none: nobody reads it, and it is never full. */
    static final long NOWHERE = QuerypointTraceAgent.table(DATA + 2 * SIZE);
    /** A bit for each object that was met, by its number. */
    private static final long SEEN = QuerypointTraceAgent.table(1L << 28);
    /**
     * A bit for each class whose name was told, by its number as an object: it may have been met as one
     * before.
     */
    private static final long NAMES = QuerypointTraceAgent.table(1L << 28);
    /** The processor shows stores to others in their order. */
    private static final long OVERFLOWS = QuerypointTraceAgent.overflows();
    private static final boolean ORDERED = QuerypointTraceAgent.ordered();
    /** Only some calls are recorded: others have 0 for a ring. */
    private static final boolean WINDOWED = QuerypointTraceAgent.windowed();
    /** Some calls or writes have 0 for a ring, by where or with which values they happen. */
    private static final boolean SELECTED = WINDOWED || QuerypointTraceAgent.tested();
    /** Where the recording begins or ends at a place: whether it goes on now. */
    static volatile boolean on = !QuerypointTraceAgent.waits();
    /** How often a thread went on where another one had recorded before. */
    private static long turns;

    /** No thread. */
    private static final QuerypointTraceThread NOBODY = new QuerypointTraceThread(null, 0, NOWHERE, null);

    /** The thread that recorded last; none at first, and where that has ended. */
    static QuerypointTraceThread current = NOBODY;

    /** A call of this class was refused for want of stack. */
    public static boolean cut;

    static {
        U.putLong(null, NOWHERE + LIMIT, Long.MAX_VALUE);
        U.putLong(null, NOWHERE + MASK, SIZE - 1);
        // Later there may be no stack to initialise it.
        U.ensureClassInitialized(QuerypointTraceThread.class);
        U.ensureClassInitialized(QuerypointTraceFacts.class);
        U.ensureClassInitialized(QuerypointTraceCalls.class);
        U.ensureClassInitialized(QuerypointTraceWrites.class);
        U.ensureClassInitialized(QuerypointTraceArrays.class);
        U.ensureClassInitialized(QuerypointArrayPart.class);
        U.ensureClassInitialized(QuerypointTraceFields.class);
        U.ensureClassInitialized(QuerypointTraceThrows.class);
        U.ensureClassInitialized(QuerypointTraceWindow.class);
        U.ensureClassInitialized(QuerypointTraceTest.class);
        U.ensureClassInitialized(QuerypointTraceSteering.class);
        QuerypointProbeNumber.taken = SEEN;
        U.ensureClassInitialized(QuerypointTraceContents.class);
        U.ensureClassInitialized(QuerypointTraceLayout.class);
        U.ensureClassInitialized(QuerypointTraceText.class);
    }

    @Hidden
    private QuerypointTrace() {
    }

    /** Returns if the stack has room for the recorder's calls: the agent gives it variables for that. */
    @Hidden
    static void room() {
    }

    /** The ring of this thread, which has room for an event. */
    @Hidden
    @ForceInline
    public static long ring() {
        QuerypointTraceThread known = current;
        long ring = known.ring;
        if (known.thread != Thread.currentThread()
                || U.getLong(null, ring + WRITTEN) > U.getLong(null, ring + LIMIT)) {
            return arrive();
        }
        return ring;
    }

    @Hidden
    @DontInline
    static long arrive() {
        QuerypointTraceThread own = QuerypointTraceThread.of(Thread.currentThread());
        if (own == null || own.ring == 0) {
            return NOWHERE;
        }
        if (current != own) {
            turn(own);
        }
        await(own.ring);
        return own.ring;
    }

    /**
     * This thread goes on where another one has recorded before. That one finds no room any more, and comes
     * here too before it records again: all events before a turn are older than those behind it, or neither
     * knows of the other. */
    @Hidden
    private static void turn(QuerypointTraceThread own) {
        QuerypointTraceThread.TURN.enter();
        try {
            synchronized (QuerypointTraceThread.TURN) {
                QuerypointTraceThread before = current;
                if (before == own) {
                    return;
                }
                current = own;
                U.fullFence();
                if (before.ring != NOWHERE) {
                    U.putLong(null, before.ring + LIMIT, -1);
                }
                // Who reads looks at the rings that say so, of which there may be thousands.
                U.putByte(null, U.getLong(null, own.ring + FLAG), (byte) 1);
                room(own.ring);
                long at = at(own.ring);
                U.putInt(null, at, TURN);
                U.putLong(null, at + 4, ++turns);
                advance(own.ring, 12);
                while (QuerypointTraceWindow.POINTED && own.told < own.depth) {
                    around(own.ring, own.stack[own.told++]);
                }
            }
        } finally {
            QuerypointTraceThread.TURN.leave();
        }
    }

    /** A call goes on whose entry was not recorded. */
    @Hidden
    private static void around(long ring, int site) {
        room(ring);
        long at = at(ring);
        U.putInt(null, at, AROUND);
        U.putInt(null, at + 4, site);
        advance(ring, 8);
    }

    /**
     * Nobody catches an exception: that its thread ends by it is told when it ends. Called by {@code Thread}.
     */
    @Hidden
    public static void uncaught(Object exception) {
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        if (own != null && own.ring != 0 && (QuerypointTraceWindow.POINTED ? on : !WINDOWED)) {
            own.uncaught = number(exception);
        }
    }

    /** This thread is about to start another one, unless that has begun before. Called by {@code Thread}. */
    @Hidden
    public static void starts(Object thread) {
        QuerypointTraceThread own = QuerypointTraceThread.known(Thread.currentThread());
        if (own == null || own.ring == 0 || ((Thread) thread).getState() != Thread.State.NEW) {
            return;
        }
        long ring = WINDOWED ? QuerypointTraceWindow.detail() : ring();
        if (ring == 0 || ring == NOWHERE) {
            return;
        }
        int number = number(thread);
        long at = begin(ring);
        U.putInt(null, at, START);
        U.putInt(null, at + 4, number);
        advance(ring, 8);
    }

    /** A virtual thread ends, which is this one. Called by it. */
    @Hidden
    public static void ends(Object thread) {
        QuerypointTraceThread.end((Thread) thread);
    }

    /** A thread records no more: its ring may be that of another one soon. */
    @Hidden
    static void left(QuerypointTraceThread own) {
        if (current == own) {
            QuerypointTraceThread.TURN.enter();
            try {
                synchronized (QuerypointTraceThread.TURN) {
                    if (current == own) {
                        current = NOBODY;
                    }
                }
            } finally {
                QuerypointTraceThread.TURN.leave();
            }
        }
    }

    /** This thread ends, and has recorded something. */
    @Hidden
    static void end(QuerypointTraceThread own) {
        if (!on) {
            return;
        }
        long at = begin(own.ring);
        U.putInt(null, at, END);
        U.putInt(null, at + 4, own.uncaught);
        advance(own.ring, 8);
    }

    /** Where the next event goes. */
    @Hidden
    @ForceInline
    private static long at(long ring) {
        return ring + DATA + (U.getLong(null, ring + WRITTEN) & U.getLong(null, ring + MASK));
    }

    /**
     * The ring is full, or another thread has recorded since: when this returns there is room for an event.
     */
    @Hidden
    @DontInline
    private static void await(long ring) {
        while (U.getLong(null, ring + WRITTEN) > U.getLong(null, ring + LIMIT)) {
            QuerypointTraceThread last = current;
            while (last.ring != ring) {
                QuerypointTraceThread own = QuerypointTraceThread.of(Thread.currentThread());
                if (own == null || own.ring != ring) {
                    break;
                }
                turn(own);
                last = current;
            }
            room(ring);
            // Whoever took the turn meanwhile has said that there is no room, and that was just written over.
            U.fullFence();
            if (current != last) {
                U.putLong(null, ring + LIMIT, -1);
            }
        }
    }

    @Hidden
    private static void room(long ring) {
        if (!QuerypointTraceAgent.await(ring)) {
            // Nobody reads any more: what is written over is lost, and that is known.
            U.putLong(null, ring + LIMIT, Long.MAX_VALUE);
        }
    }

    /** An event begins: where it goes. */
    @Hidden
    @ForceInline
    static long begin(long ring) {
        if (U.getLong(null, ring + WRITTEN) > U.getLong(null, ring + LIMIT)) {
            await(ring);
        }
        return at(ring);
    }

    /** The event is whole, and has so many bytes. */
    @Hidden
    @ForceInline
    static void advance(long ring, int bytes) {
        advance(ring, U.getLong(null, ring + WRITTEN), bytes);
    }

    /** The same, where so many bytes were written before: read once. */
    @Hidden
    @ForceInline
    static void advance(long ring, long written, int bytes) {
        if (!ORDERED) {
            U.storeFence();
        }
        U.putLong(null, ring + WRITTEN, written + bytes);
    }

    /** Waits for room: how many bytes were written then. */
    @Hidden
    @DontInline
    private static long awaited(long ring) {
        await(ring);
        return U.getLong(null, ring + WRITTEN);
    }

    /** Whether the events of a call are not wanted. */
    @Hidden
    @ForceInline
    static boolean isOutside(long ring) {
        return SELECTED && (ring == 0 || !on);
    }

    /**
     * Whether there is no ring for an event. Whoever has begun one ends it, whatever another thread has come
     * to meanwhile.
     */
    @Hidden
    @ForceInline
    private static boolean isNone(long ring) {
        return SELECTED && ring == 0;
    }

    /**
     * An event begins: where its values go, behind the number of its site. They are put there by {@code set}.
     */
    @Hidden
    @ForceInline
    public static long begin(long ring, int site) {
        long at = isNone(ring) ? at(NOWHERE) : begin(ring);
        U.putInt(null, at, site);
        return at;
    }

    /** The event is whole, and has so many bytes. */
    @Hidden
    @ForceInline
    public static void end(long ring, int bytes) {
        if (!isNone(ring)) {
            advance(ring, bytes);
        }
    }

    /** A value of an event. */
    @Hidden
    @ForceInline
    public static void set(int value, long at, int place) {
        U.putInt(null, at + place, value);
    }

    @Hidden
    @ForceInline
    public static void set(long value, long at, int place) {
        U.putLong(null, at + place, value);
    }

    @Hidden
    @ForceInline
    public static void set(float value, long at, int place) {
        U.putInt(null, at + place, Float.floatToRawIntBits(value));
    }

    @Hidden
    @ForceInline
    public static void set(double value, long at, int place) {
        U.putLong(null, at + place, Double.doubleToRawLongBits(value));
    }

    /** The number of an object, which is met if it was not; 0 for none. */
    @Hidden
    public static int number(Object value) {
        if (value == null) {
            return 0;
        }
        int number = QuerypointProbeNumber.of(value);
        // Written out, as `has` does: a method this long the first compiler calls, and only the second one
        // takes it in.
        if ((U.getByte(null, SEEN + (number >>> 3)) >>> (number & 7) & 1) != 0) {
            return number;
        }
        return meet(value);
    }

    /** The same, where only some calls are recorded. */
    @Hidden
    @ForceInline
    public static int number(Object value, long ring) {
        if (!SELECTED) {
            return number(value);
        }
        if (ring == 0) {
            QuerypointTraceContents.passed(value);
            return 0;
        }
        int number = number(value);
        if (QuerypointTraceContents.ON && number != 0) {
            QuerypointTraceContents.named(value, number);
        }
        return number;
    }

    /** An object that may be met for the first time: an event tells what it is, and its class. */
    @Hidden
    @DontInline
    private static int meet(Object value) {
        try {
            causes(value);
            return tell(value, true);
        } catch (StackOverflowError e) {
            // The program shall see its own frames alone.
            throw (StackOverflowError) e.fillInStackTrace();
        }
    }

    /** The causes of an exception are met before it. */
    @Hidden
    private static void causes(Object value) {
        if (!(value instanceof Throwable)) {
            return;
        }
        Object cause = value;
        for (int i = 0; i < QuerypointTraceFacts.CAUSES; i++) {
            cause = QuerypointTraceFacts.cause(cause);
            if (cause == null) {
                break;
            }
            if (!seen(QuerypointProbeNumber.give(cause))) {
                tell(cause, true);
            }
        }
    }

    /**
     * Tells what an object is, unless it was told.
     *
     * @param isMade whether the constructor of its class has returned: before, its fields tell nothing
     */
    @Hidden
    private static int tell(Object value, boolean isMade) {
        int number = QuerypointProbeNumber.give(value);
        long ring = seen(number) ? NOWHERE : arrive();
        // Where nobody reads nobody would know what it is.
        if (ring == NOWHERE) {
            return number;
        }
        Class<?> of = value.getClass();
        int kind = QuerypointProbeNumber.give(of);
        int what = QuerypointTraceFacts.kind(value, of);
        // Finding a name can take a while: the event begins afterwards.
        String name = has(NAMES, kind) ? null : QuerypointTraceNames.of(of);
        Object fields = null;
        if (what == QuerypointTraceFacts.CLASS) {
            fields = QuerypointTraceNames.of((Class<?>) value);
        } else if (what == QuerypointTraceFacts.PLAIN) {
            fields = QuerypointTraceFacts.fields(value, of, name != null);
            if (fields != null && isMade) {
                what = QuerypointTraceFacts.FIELDS;
                QuerypointTraceFacts.meet(value, fields);
                // Those events may have filled it.
                ring = arrive();
            }
        }
        add(SEEN, number);
        if (of == StackOverflowError.class && OVERFLOWS != 0) {
            U.getAndAddLong(null, OVERFLOWS, 1);
        }
        long begin = at(ring);
        U.putInt(null, begin, MEETING);
        U.putInt(null, begin + 4, number);
        U.putByte(null, begin + 8, (byte) what);
        long at = begin + 13;
        if (name == null) {
            U.putInt(null, begin + 9, kind);
        } else {
            add(NAMES, kind);
            U.putInt(null, begin + 9, kind | NAMED);
            at = name(name, at);
        }
        switch (what) {
            case QuerypointTraceFacts.PLAIN:
                break;
            case QuerypointTraceFacts.ARRAY:
                U.putInt(null, at, java.lang.reflect.Array.getLength(value));
                at += 4;
                break;
            case QuerypointTraceFacts.BOX:
                U.putLong(null, at, QuerypointTraceFacts.bits(value));
                at += 8;
                break;
            case QuerypointTraceFacts.CLASS:
                at = name((String) fields, at);
                break;
            case QuerypointTraceFacts.FIELDS:
                at = QuerypointTraceFacts.write(value, fields, at);
                break;
            default:
                int most = what == QuerypointTraceFacts.EXCEPTION ? MESSAGE : TEXT;
                at = text(QuerypointTraceFacts.text(value, what), most, at);
                if (what == QuerypointTraceFacts.EXCEPTION) {
                    U.putInt(null, at, QuerypointProbeNumber.give(QuerypointTraceFacts.cause(value)));
                    at += 4;
                }
        }
        advance(ring, (int) (at - begin));
        if (what == QuerypointTraceFacts.PLAIN) {
            QuerypointTraceContents.met(value, number);
        }
        return number;
    }

    /** A constructor goes on with an object that the superclass's constructor has made. */
    @Hidden
    @DontInline
    public static void born(Object self, long ring, int site) {
        if (isOutside(ring)) {
            QuerypointTraceContents.passed(self);
            return;
        }
        if (!seen(QuerypointProbeNumber.of(self))) {
            tell(self, false);
        }
        event(number(self, ring), ring, site);
    }

    /** A constructor of the JDK returns: what the fields of its object tell is known from now on. */
    @Hidden
    @DontInline
    public static void made(Object self, long ring) {
        Class<?> of = self.getClass();
        int number = QuerypointProbeNumber.of(self);
        if (isOutside(ring) || of.getClassLoader0() != null || !seen(number)) {
            return;
        }
        Object fields = QuerypointTraceFacts.fields(self, of, false);
        if (fields == null) {
            QuerypointTraceContents.met(self, number);
            return;
        }
        QuerypointTraceFacts.meet(self, fields);
        long own = arrive();
        if (own == NOWHERE) {
            return;
        }
        long begin = at(own);
        U.putInt(null, begin, MEETING);
        U.putInt(null, begin + 4, number);
        U.putByte(null, begin + 8, (byte) QuerypointTraceFacts.FIELDS);
        U.putInt(null, begin + 9, QuerypointProbeNumber.give(of));
        advance(own, (int) (QuerypointTraceFacts.write(self, fields, begin + 13) - begin));
    }

    @Hidden
    @ForceInline
    static boolean seen(int number) {
        return has(SEEN, number);
    }

    /** Whether the bit of a number is set. */
    @Hidden
    @ForceInline
    static boolean has(long bits, int number) {
        return (U.getByte(null, bits + (number >>> 3)) >>> (number & 7) & 1) != 0;
    }

    /**
     * Sets the bit of a number. Two threads may do so at once, and one bit be lost: then it is met, told or
     * looked at once more.
     */
    @Hidden
    static void add(long bits, int number) {
        long at = bits + (number >>> 3);
        U.putByte(null, at, (byte) (U.getByte(null, at) | 1 << (number & 7)));
    }

    /** The name of a class, in UTF-16. */
    @Hidden
    private static long name(String name, long at) {
        int length = Math.min(name.length(), NAME / 2);
        U.putShort(null, at, (short) length);
        return characters(name, length, at + 2);
    }

    /** How long a text is, and how it begins, in so many units; a length of -1 where there is none. */
    @Hidden
    private static long text(String text, int most, long at) {
        if (text == null) {
            U.putInt(null, at, -1);
            U.putShort(null, at + 4, (short) 0);
            return at + 6;
        }
        int length = Math.min(text.length(), most);
        U.putInt(null, at, text.length());
        U.putShort(null, at + 4, (short) length);
        return characters(text, length, at + 6);
    }

    @Hidden
    private static long characters(String text, int length, long at) {
        for (int i = 0; i < length; i++) {
            U.putChar(null, at + 2L * i, text.charAt(i));
        }
        return at + 2L * length;
    }

    /** An event without a value. */
    @Hidden
    public static void event(long ring, int site) {
        if (isOutside(ring)) {
            return;
        }
        long written = U.getLong(null, ring + WRITTEN);
        if (written > U.getLong(null, ring + LIMIT)) {
            written = awaited(ring);
        }
        long at = ring + DATA + (written & U.getLong(null, ring + MASK));
        U.putInt(null, at, site);
        advance(ring, written, 4);
    }

    /** An event with one value. */
    @Hidden
    public static void event(int value, long ring, int site) {
        if (isOutside(ring)) {
            return;
        }
        long written = U.getLong(null, ring + WRITTEN);
        if (written > U.getLong(null, ring + LIMIT)) {
            written = awaited(ring);
        }
        long at = ring + DATA + (written & U.getLong(null, ring + MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, value);
        advance(ring, written, 8);
    }

    @Hidden
    public static void event(long value, long ring, int site) {
        if (isOutside(ring)) {
            return;
        }
        long written = U.getLong(null, ring + WRITTEN);
        if (written > U.getLong(null, ring + LIMIT)) {
            written = awaited(ring);
        }
        long at = ring + DATA + (written & U.getLong(null, ring + MASK));
        U.putInt(null, at, site);
        U.putLong(null, at + 4, value);
        advance(ring, written, 12);
    }

    @Hidden
    public static void event(float value, long ring, int site) {
        event(Float.floatToRawIntBits(value), ring, site);
    }

    @Hidden
    public static void event(double value, long ring, int site) {
        event(Double.doubleToRawLongBits(value), ring, site);
    }

    /** An event with an object, whose number is looked up in the same call. */
    @Hidden
    public static void event(Object value, long ring, int site) {
        int number = number(value);
        long written = U.getLong(null, ring + WRITTEN);
        if (written > U.getLong(null, ring + LIMIT)) {
            written = awaited(ring);
        }
        long at = ring + DATA + (written & U.getLong(null, ring + MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, number);
        advance(ring, written, 8);
    }

    /** An event with an object, where it is rare: methods that are recorded should stay small. */
    @Hidden
    @DontInline
    public static void rare(Object value, long ring, int site) {
        if (isOutside(ring)) {
            QuerypointTraceContents.passed(value);
        } else {
            event(number(value, ring), ring, site);
        }
    }
}
