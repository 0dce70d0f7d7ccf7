package java.lang;

import jdk.internal.vm.annotation.Hidden;

/** A part of an array that a call of the JDK may write. */
public final class QuerypointProbeGivenArray extends QuerypointProbeGiven {
    /** The part is given by its first index and the one after its last, not by its length. */
    private static final int UP_TO = 4;
    /** One query asks at the call: only the elements that it asks for need to be looked at. */
    private static final int ALONE = 8;

    /** The values of the part before the call. */
    private final Object held;
    private final int from;

    @Hidden
    QuerypointProbeGivenArray(Object beside, Object array, Object held, int from) {
        super(beside, array);
        this.held = held;
        this.from = from;
    }

    /**
     * A part of an array is about to be given to a call, beside what else it is given. {@code kind} is the
     * first letter of the descriptors of the elements that are asked for.
     */
    @Hidden
    public static Object given(
            Object beside, Object array, int from, int many, int how, int kind, int site, int query) {
        if (array == null || !isOf(array, kind)) {
            return beside;
        }
        int length = QuerypointArrays.length(array);
        int to = (how & UP_TO) != 0 ? many : many < length - from ? from + many : length;
        if (to > length) {
            to = length;
        }
        int only = (how & ALONE) != 0 ? QuerypointProbe.QUERIES[query].index() : -1;
        if (only >= 0) {
            if (only < from || only >= to) {
                return beside;
            }
            from = only;
            to = only + 1;
        }
        if (from < 0 || to <= from) {
            return beside;
        }
        for (QuerypointProbeGiven one = (QuerypointProbeGiven) beside; one != null; one = one.beside()) {
            if (one.owner == array && one instanceof QuerypointProbeGivenArray) {
                QuerypointProbeGivenArray known = (QuerypointProbeGivenArray) one;
                if (known.from == from && QuerypointArrays.length(known.held) == to - from) {
                    known.add(site, query, how);
                    return beside;
                }
            }
        }
        try {
            Object held = QuerypointArrays.copy(array, from, to - from);
            QuerypointProbeGivenArray given = new QuerypointProbeGivenArray(beside, array, held, from);
            given.add(site, query, how);
            given.open();
            return given;
        } catch (OutOfMemoryError e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.GIVEN);
            return beside;
        }
    }

    @Hidden
    private static boolean isOf(Object array, int kind) {
        switch (kind) {
            case 'I':
                return array instanceof int[];
            case 'J':
                return array instanceof long[];
            case 'F':
                return array instanceof float[];
            case 'D':
                return array instanceof double[];
            case 'B':
            case 'Z':
                return array instanceof byte[] || array instanceof boolean[];
            case 'C':
                return array instanceof char[];
            case 'S':
                return array instanceof short[];
            default:
                return array instanceof Object[];
        }
    }

    @Override
    @Hidden
    void compare() {
        int count = QuerypointArrays.length(held);
        for (int i = 0; i < count; i++) {
            if (held instanceof Object[]) {
                Object old = ((Object[]) held)[i];
                Object now = ((Object[]) owner)[from + i];
                if (old != now) {
                    stored(owner, from + i, 0, now);
                    hit(from + i, 0, old, 0, now);
                }
                continue;
            }
            long old = QuerypointArrays.bits(held, i);
            long now = QuerypointArrays.bits(owner, from + i);
            if (old != now) {
                stored(owner, from + i, now, null);
                hit(from + i, old, null, now, null);
            }
        }
    }

    /** A store of the program replaces what the array held before the calls that were given it. */
    @Hidden
    static void take(Object array, int index, long bits, Object value) {
        for (QuerypointProbeGiven one = open; one != null; one = one.next) {
            if (one.owner == array && one instanceof QuerypointProbeGivenArray) {
                QuerypointProbeGivenArray given = (QuerypointProbeGivenArray) one;
                int at = index - given.from;
                if (at >= 0 && at < QuerypointArrays.length(given.held)) {
                    given.take(at, bits, value);
                }
            }
        }
    }

    @Hidden
    private void take(int at, long bits, Object value) {
        if (held instanceof Object[]) {
            ((Object[]) held)[at] = value;
        } else {
            QuerypointArrays.write(held, at, bits);
        }
    }
}
