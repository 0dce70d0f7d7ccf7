package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What recorded methods call where they throw an exception, catch one, or are left by one.
 *
 * <p>Where no recorded method has thrown it, the VM has raised it or other code has thrown it: then an event
 * says in which line of the first recorded method it came. That line is in the trace of the exception, which
 * is the stack when it was made. The VM's own form of it is read, which no code of the program changes, and
 * compared with the stack as it is now: the line is known only if the callers have not moved between.
 */
public final class QuerypointTraceThrows {
    private static final Unsafe U = Unsafe.getUnsafe();

    private static final int RAISED = 9;
    /** The word of a ring with the number of the exception that is on its way: {@code wire::recording}. */
    private static final int FLYING = 160;
    /** Where a ring has the numbers of the exceptions that were thrown last, by their lower bits. */
    private static final int FLOWN = 4096;
    private static final int RECENT = 1024;

    /** Where an exception has the VM's form of its trace, and the length of that; -1 where it has neither. */
    private static final long BACKTRACE = field("backtrace");
    private static final long DEPTH = field("depth");
    /** By default the VM keeps this many frames, the innermost ones. */
    private static final int DEEPEST = 1024;
    /**
     * Parts of a trace: of each frame the number of its method, the index of its code (above the version of
     * its class), and its class. A part has so many frames, and refers to the next.
     */
    private static final int METHODS = 0;
    private static final int INDICES = 1;
    private static final int CLASSES = 2;

    /** Lines that were looked up: site, index and line, by the lower bits of a sum of the first two. */
    private static final long[] LINES = new long[1 << 12];

    @Hidden
    private QuerypointTraceThrows() {
    }

    @Hidden
    private static long field(String name) {
        try {
            return U.objectFieldOffset(Throwable.class, name);
        } catch (InternalError e) {
            return -1;
        }
    }

    /** A recorded method throws an exception. */
    @Hidden
    @DontInline
    public static void thrown(Object exception, long ring, int site) {
        if (exception == null) {
            // The VM throws another one.
        } else if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(exception);
        } else {
            int number = QuerypointTrace.number(exception, ring);
            QuerypointTrace.event(number, ring, site);
            fly(number, ring);
        }
    }

    /** An exception leaves a recorded method. */
    @Hidden
    @DontInline
    public static void left(Object exception, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(exception);
        } else {
            try {
                QuerypointTrace.event(come(exception, ring, site), ring, site);
            } catch (StackOverflowError e) {
                // The program gets its own exception, and the callers have more room.
                QuerypointTrace.cut = true;
            }
        }
    }

    /** A recorded method catches an exception. */
    @Hidden
    @DontInline
    public static void caught(Object exception, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(exception);
        } else {
            try {
                QuerypointTrace.event(come(exception, ring, site), ring, site);
                // Who throws it again says so, or is not recorded.
                U.putInt(null, ring + FLYING, 0);
            } catch (StackOverflowError e) {
                QuerypointTrace.cut = true;
            }
        }
    }

    /** The exception is on its way. */
    @Hidden
    private static void fly(int number, long ring) {
        U.putInt(null, ring + FLYING, number);
        U.putInt(null, flown(number, ring), number);
    }

    @Hidden
    private static long flown(int number, long ring) {
        return ring + FLOWN + 4L * (number & RECENT - 1);
    }

    /** An exception comes to a recorded method: its number. */
    @Hidden
    private static int come(Object exception, long ring, int site) {
        int number = QuerypointProbeNumber.of(exception);
        if (U.getInt(null, ring + FLYING) == number) {
            return number;
        }
        number = QuerypointProbeNumber.give(exception);
        boolean met = QuerypointTrace.seen(number);
        number = QuerypointTrace.number(exception, ring);
        if (U.getInt(null, ring + FLYING) != number) {
            raised(exception, number, met, ring, site);
        }
        return number;
    }

    /** No recorded method has thrown it. */
    @Hidden
    private static void raised(Object exception, int number, boolean met, long ring, int site) {
        // One that was thrown before still has the trace of that time.
        boolean old = ring == QuerypointTrace.NOWHERE || U.getInt(null, flown(number, ring)) == number;
        int line = old ? 0 : line(exception, met, site);
        long at = QuerypointTrace.begin(ring);
        U.putInt(null, at, RAISED);
        U.putInt(null, at + 4, number);
        U.putInt(null, at + 8, line);
        QuerypointTrace.advance(ring, 12);
        fly(number, ring);
    }

    /** The line of the method that is left or catches, in which the exception came; 0 if unknown. */
    @Hidden
    private static int line(Object exception, boolean met, int site) {
        // Of these two the VM may have no room for another object or call.
        if (BACKTRACE < 0 || DEPTH < 0 || exception instanceof OutOfMemoryError
                || exception instanceof StackOverflowError) {
            return 0;
        }
        try {
            Object trace = U.getReference(exception, BACKTRACE);
            int depth = U.getInt(exception, DEPTH);
            return trace == null || depth >= DEEPEST ? 0 : line((Object[]) trace, depth, met, site);
        } catch (Throwable e) {
            // There is no room, or this VM keeps traces in another way.
            return 0;
        }
    }

    @Hidden
    private static int line(Object[] trace, int depth, boolean met, int site) {
        Throwable here = new Throwable();
        Object[] own = (Object[]) U.getReference(here, BACKTRACE);
        int size = ((short[]) own[METHODS]).length;
        // Only a VM that is told to shows these methods in traces.
        int from = 0;
        while (((Object[]) own[CLASSES])[from] == QuerypointTraceThrows.class) {
            from++;
        }
        int frames = U.getInt(here, DEPTH) - from;
        int at = depth - frames;
        // An exception made here that was met before was not raised when it was made.
        if (frames <= 0 || frames + from >= DEEPEST || at < 0 || at == 0 && met) {
            return 0;
        }
        Object[] theirs = trace;
        for (int skipped = size; skipped <= at; skipped += size) {
            theirs = next(theirs);
        }
        int index = index(theirs, at % size);
        if (!sameMethod(theirs, at % size, own, from)) {
            return 0;
        }
        int i = at % size;
        int j = from;
        for (int left = frames - 1; left > 0; left--) {
            if (++i == size) {
                theirs = next(theirs);
                i = 0;
            }
            if (++j == size) {
                own = next(own);
                j = 0;
            }
            if (!sameMethod(theirs, i, own, j) || index(theirs, i) != index(own, j)) {
                return 0;
            }
        }
        long key = (long) site << 32 | (index >>> 16) << 16 & 0xffffffffL;
        int place = 31 * site + (index >>> 16) & LINES.length - 1;
        // Of a class that was changed the same index means something else.
        boolean first = (index & 0xffff) == 0;
        long known = LINES[place];
        if (first && known >>> 16 == key >>> 16) {
            return (int) known & 0xffff;
        }
        U.putReference(here, BACKTRACE, trace);
        U.putInt(here, DEPTH, depth);
        int line = here.getStackTrace()[at].getLineNumber();
        line = line < 0 || line > 0xffff ? 0 : line;
        if (first) {
            LINES[place] = key | line;
        }
        return line;
    }

    @Hidden
    private static int index(Object[] part, int frame) {
        return ((int[]) part[INDICES])[frame];
    }

    @Hidden
    private static boolean sameMethod(Object[] one, int i, Object[] other, int j) {
        return ((short[]) one[METHODS])[i] == ((short[]) other[METHODS])[j]
                && ((Object[]) one[CLASSES])[i] == ((Object[]) other[CLASSES])[j];
    }

    /** The next part of a trace, which has the same form. */
    @Hidden
    private static Object[] next(Object[] part) {
        for (int i = CLASSES + 1; i < part.length; i++) {
            if (part[i] instanceof Object[]) {
                Object[] next = (Object[]) part[i];
                if (next.length == part.length && next[METHODS] instanceof short[]) {
                    return next;
                }
            }
        }
        throw new InternalError();
    }
}
