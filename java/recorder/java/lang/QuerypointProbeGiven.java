package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * An array or a field that a call of the JDK may write, with its values before the call. A value that differs
 * after the call is a hit at the call.
 *
 * <p>Code of the program may run during the call. Its own writes are hits of their own: they replace the
 * values from before, so that no write counts twice.
 */
public abstract class QuerypointProbeGiven {
    /** The hit is kept as the last one of its owner. */
    static final int KEEP = 1;
    /** The hit is tested. Only the debugger can do that here. */
    static final int TESTED = 2;
    /** The result of a test that cannot be done here. */
    private static final int UNKNOWN = 2;

    /**
     * What the running calls of all threads were given, newest first. Changed under the lock of this class.
     */
    static volatile QuerypointProbeGiven open;

    /** The array, or the object with the field; null for a static field. */
    final Object owner;
    /** The sites that are hit, with their queries and marks. */
    private int[] sites = new int[1];
    private int[] queries = new int[1];
    private int[] marks = new int[1];
    private int count;
    /** What else the same call was given. */
    private final QuerypointProbeGiven beside;
    /** The next one of {@link #open}. */
    volatile QuerypointProbeGiven next;
    /** The value before the hit. */
    private long oldBits;
    private Object old;

    @Hidden
    QuerypointProbeGiven(Object beside, Object owner) {
        this.beside = (QuerypointProbeGiven) beside;
        this.owner = owner;
    }

    /** Loads what is needed to report a hit: later there may be no stack for that. */
    @Hidden
    static void prepare() {
        QuerypointProbeGiven one = new QuerypointProbeGivenArray(null, new QuerypointArrayPart(new int[1], 0, 1));
        one.add(0, 0, 0);
        one.open();
        one.close();
    }

    /** Another site is hit as well. */
    @Hidden
    final void add(int site, int query, int mark) {
        for (int i = 0; i < count; i++) {
            if (sites[i] == site) {
                return;
            }
        }
        if (count == sites.length) {
            sites = wider(sites);
            queries = wider(queries);
            marks = wider(marks);
        }
        sites[count] = site;
        queries[count] = query;
        marks[count++] = mark;
    }

    @Hidden
    private static int[] wider(int[] from) {
        int[] to = new int[from.length * 2];
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i];
        }
        return to;
    }

    /** Whether a query asks for it. */
    @Hidden
    final boolean isOf(int query) {
        for (int i = 0; i < count; i++) {
            if (queries[i] == query) {
                return true;
            }
        }
        return false;
    }

    @Hidden
    final int count() {
        return count;
    }

    @Hidden
    final int site(int i) {
        return sites[i];
    }

    @Hidden
    final int query(int i) {
        return queries[i];
    }

    @Hidden
    final int mark(int i) {
        return marks[i];
    }

    /** What the same call was given before this. */
    @Hidden
    final QuerypointProbeGiven beside() {
        return beside;
    }

    @Hidden
    final void open() {
        synchronized (QuerypointProbeGiven.class) {
            next = open;
            open = this;
        }
    }

    @Hidden
    private void close() {
        synchronized (QuerypointProbeGiven.class) {
            if (open == this) {
                open = next;
                return;
            }
            for (QuerypointProbeGiven one = open; one != null; one = one.next) {
                if (one.next == this) {
                    // A thread that reads the list from here goes on to the next one.
                    one.next = next;
                    return;
                }
            }
        }
    }

    /** The call has returned or thrown. */
    @Hidden
    public static void back(Object given) {
        if (given == null) {
            return;
        }
        QuerypointProbeGiven last = (QuerypointProbeGiven) given;
        for (QuerypointProbeGiven one = last; one != null; one = one.beside) {
            one.close();
        }
        for (QuerypointProbeGiven one = last; one != null; one = one.beside) {
            one.compare();
        }
    }

    /** Hits for each value that differs. */
    @Hidden
    abstract void compare();

    /** A value differs. First each query may stop, then each keeps the hit. */
    @Hidden
    final void hit(int index, long oldBits, Object old, long bits, Object value) {
        this.oldBits = oldBits;
        this.old = old;
        int last = -1;
        for (int i = 0; i < count; i++) {
            if ((marks[i] & TESTED) != 0) {
                QuerypointProbe.tested(UNKNOWN, owner, bits, told(value), sites[i]);
                continue;
            }
            if (last >= 0) {
                QuerypointProbe.look(owner, index, bits, value, this, sites[last]);
            }
            last = i;
        }
        if (last < 0) {
            return;
        }
        boolean isArray = this instanceof QuerypointProbeGivenArray;
        int kept = (marks[last] & KEEP) != 0 ? queries[last] : -1;
        QuerypointProbe.hit(owner, index, isArray, bits, value, this, sites[last], kept);
        for (int i = 0; i < last; i++) {
            if ((marks[i] & TESTED) != 0) {
                continue;
            }
            if ((marks[i] & KEEP) == 0) {
                QuerypointProbe.count(sites[i]);
            } else if (isArray) {
                QuerypointProbe.keepElement(owner, index, sites[i], queries[i]);
            } else {
                QuerypointProbe.keep(owner, sites[i], queries[i]);
            }
        }
    }

    /** What a stop tells: the new value if it is a reference, the one before, and the bits of that. */
    @Hidden
    final Object told(Object value) {
        return new Object[] {value, old, new long[] {oldBits}};
    }

    /** A method of the program is about to store to a field. */
    @Hidden
    @ForceInline
    static void stored(int query, Object owner, long bits, Object value) {
        if (open != null) {
            QuerypointProbeGivenField.take(query, owner, bits, value);
        }
    }

    /** A method of the program is about to store to an array. */
    @Hidden
    @ForceInline
    static void stored(Object array, int index, long bits, Object value) {
        if (open != null) {
            QuerypointProbeGivenArray.take(array, index, bits, value);
        }
    }
}
