package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * An array that a recorded method passes to code that is not recorded, with a copy of its elements. When that
 * code has returned, elements that differ from the copy are recorded as its writes. So are the elements of
 * arrays that it returns.
 *
 * <p>That code may call recorded methods, whose writes are recorded as they happen. The copy takes them over,
 * so that no write is recorded twice.
 */
public final class QuerypointTraceArrays {
    /** Of more elements nothing is told. */
    private static final int MOST = 1 << 24;
    /** An array that is new has no elements that are known if there are more. */
    private static final int FEW = 1 << 12;

    /** The array may be of any kind: its site is the first of eight, one for each. */
    private static final int ANY = 1;
    /** Nobody has so many given away at once, unless some never came back. */
    private static final int OPEN_MOST = 1 << 12;

    /**
     * The arrays of all threads that are given away now, the last one first. Changed under the lock of this
     * class, and read without.
     */
    private static volatile QuerypointTraceArrays open;
    private static final QuerypointTraceGate GATE = new QuerypointTraceGate();
    private static int opened;

    private final Object array;
    /** What is given of it; null if nothing is compared. */
    private final QuerypointArrayPart part;
    private final boolean any;
    private final int site;
    /** Another one that the same call was given. */
    private final QuerypointTraceArrays beside;
    /** The next one that is given away. */
    private volatile QuerypointTraceArrays next;

    @Hidden
    private QuerypointTraceArrays(
            Object array, QuerypointArrayPart part, boolean any, int site, Object beside) {
        this.array = array;
        this.part = part;
        this.any = any;
        this.site = site;
        this.beside = (QuerypointTraceArrays) beside;
    }

    /** Whether any array is given away now. */
    @Hidden
    @ForceInline
    static boolean isOpen() {
        return open != null;
    }

    /**
     * A part of an array is about to be given away, besides another one: what {@link #back} wants when the
     * call is over.
     */
    @Hidden
    public static Object given(Object beside, Object array, int from, int many, int how, long ring, int site) {
        boolean isOff = QuerypointTrace.isOutside(ring) || ring == QuerypointTrace.NOWHERE;
        if (array == null || isOff || !array.getClass().isArray()) {
            return beside;
        }
        int to = QuerypointArrayPart.end(array, from, many, how);
        if (from < 0 || to <= from) {
            return beside;
        }
        try {
            if (to - from > MOST) {
                QuerypointTraceAgent.lose(QuerypointTraceAgent.ARRAYS);
                return beside;
            }
            QuerypointArrayPart part = new QuerypointArrayPart(array, from, to);
            boolean any = (how & ANY) != 0;
            QuerypointTraceArrays given = new QuerypointTraceArrays(array, part, any, site, beside);
            GATE.enter();
            try {
                synchronized (QuerypointTraceArrays.class) {
                    if (opened == OPEN_MOST) {
                        QuerypointTraceAgent.lose(QuerypointTraceAgent.ARRAYS);
                        return beside;
                    }
                    opened++;
                    given.next = open;
                    open = given;
                }
            } finally {
                GATE.leave();
            }
            return given;
        } catch (OutOfMemoryError e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.ARRAYS);
            return beside;
        }
    }

    /** The call is over, normally or by an exception. */
    @Hidden
    public static void back(Object given, long ring) {
        if (given == null) {
            return;
        }
        QuerypointTraceArrays last = (QuerypointTraceArrays) given;
        for (QuerypointTraceArrays one = last; one != null; one = one.beside) {
            one.close();
            if (!QuerypointTrace.isOutside(ring)) {
                one.tell(ring);
            }
        }
    }

    /** It is given away no more. Whoever is at it goes on from there. */
    @Hidden
    private void close() {
        GATE.enter();
        try {
            synchronized (QuerypointTraceArrays.class) {
                QuerypointTraceArrays before = null;
                QuerypointTraceArrays one = open;
                while (one != null && one != this) {
                    before = one;
                    one = one.next;
                }
                if (one == null) {
                    return;
                }
                opened--;
                if (before == null) {
                    open = next;
                } else {
                    before.next = next;
                }
            }
        } finally {
            GATE.leave();
        }
    }

    /** Before a call that may return an array: what {@link #came} wants. */
    @Hidden
    public static int mark() {
        return QuerypointProbeNumber.last();
    }

    /**
     * That code has returned an array: one of those that it was given, a new one, or one that recorded code
     * has made for it, of which it may have stored all elements. Of another one that was met before, it is
     * not known whether it has. */
    @Hidden
    public static void came(Object array, Object given, int mark, long ring, int site, int element) {
        if (array == null || QuerypointTrace.isOutside(ring) || ring == QuerypointTrace.NOWHERE) {
            return;
        }
        for (QuerypointTraceArrays one = (QuerypointTraceArrays) given; one != null; one = one.beside) {
            if (one.array == array) {
                return;
            }
        }
        int number = QuerypointProbeNumber.give(array);
        boolean isNew = !QuerypointTrace.seen(number);
        int count = QuerypointArrays.length(array);
        if (isNew ? count > FEW : number <= mark) {
            QuerypointTrace.number(array);
            return;
        }
        if (count > MOST) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.ARRAYS);
            return;
        }
        if (isNew) {
            QuerypointTrace.rare(array, ring, site);
        }
        new QuerypointTraceArrays(array, null, false, element, null).all(count, ring);
    }

    /** An array was made, with this many levels of arrays inside it. */
    @Hidden
    public static void made(Object array, int inside, long ring, int site, int element) {
        QuerypointTrace.rare(array, ring, site);
        if (inside == 0 || QuerypointTrace.isOutside(ring) || ring == QuerypointTrace.NOWHERE) {
            return;
        }
        Object[] rows = (Object[]) array;
        QuerypointTraceArrays of = new QuerypointTraceArrays(array, null, false, element, null);
        for (int i = 0; i < rows.length && rows[i] != null; i++) {
            made(rows[i], inside - 1, ring, site, element);
            of.told(i, null, rows[i], ring);
        }
    }

    /** Tells what is another one now. */
    @Hidden
    private void tell(long ring) {
        for (int i = part.differing(0); i >= 0; i = part.differing(i + 1)) {
            int index = part.from + i;
            if (part.isOfReferences()) {
                Object now = ((Object[]) array)[index];
                told(index, part.old(i), now, ring);
                stored(array, index, now);
            } else {
                long now = QuerypointArrays.bits(array, index);
                told(index, part.oldBits(i), now, ring);
                stored(array, index, now);
            }
        }
    }

    /** Tells all elements that are others than an array is made with. */
    @Hidden
    private void all(int count, long ring) {
        for (int i = 0; i < count; i++) {
            if (array instanceof Object[]) {
                Object now = ((Object[]) array)[i];
                if (now != null) {
                    told(i, null, now, ring);
                }
                continue;
            }
            long now = QuerypointArrays.bits(array, i);
            if (now != 0) {
                told(i, 0, now, ring);
            }
        }
    }

    @Hidden
    private void told(int index, Object old, Object now, long ring) {
        int before = QuerypointTrace.number(old, ring);
        int value = QuerypointTrace.number(now, ring);
        int number = QuerypointTrace.number(array);
        QuerypointTraceWrites.told(number, index, before, value, ring, any ? site + 4 : site);
    }

    @Hidden
    private void told(int index, long old, long now, long ring) {
        int number = QuerypointTrace.number(array);
        int at = any ? site + kind(array) : site;
        if (array instanceof long[] || array instanceof double[]) {
            QuerypointTraceWrites.told(number, index, old, now, ring, at);
        } else {
            QuerypointTraceWrites.told(number, index, (int) old, (int) now, ring, at);
        }
    }

    /** Which of the eight sites an array has: {@code ARRAYS} in the agent. */
    @Hidden
    private static int kind(Object array) {
        return array instanceof int[] ? 0
                : array instanceof long[] ? 1
                : array instanceof float[] ? 2
                : array instanceof double[] ? 3
                : array instanceof byte[] || array instanceof boolean[] ? 5
                : array instanceof char[] ? 6
                : 7;
    }

    /**
     * It was told that this is stored into an array: whoever has given that away besides need not tell it.
     */
    @Hidden
    static void stored(Object array, int index, long value) {
        for (QuerypointTraceArrays one = open; one != null; one = one.next) {
            one.part.take(array, index, value, null);
        }
    }

    @Hidden
    static void stored(Object array, int index, Object value) {
        for (QuerypointTraceArrays one = open; one != null; one = one.next) {
            one.part.take(array, index, 0, value);
        }
    }
}
