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
        int length = length(array);
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
                if (known.from == from && length(known.held) == to - from) {
                    known.add(site, query, how);
                    return beside;
                }
            }
        }
        try {
            Object held = copy(array, from, to - from);
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

    @Hidden
    private static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }

    @Hidden
    private static Object copy(Object array, int from, int count) {
        Object held = array instanceof int[] ? new int[count]
                : array instanceof byte[] ? new byte[count]
                : array instanceof char[] ? new char[count]
                : array instanceof long[] ? new long[count]
                : array instanceof double[] ? new double[count]
                : array instanceof float[] ? new float[count]
                : array instanceof short[] ? new short[count]
                : array instanceof boolean[] ? new boolean[count]
                : new Object[count];
        System.arraycopy(array, from, held, 0, count);
        return held;
    }

    @Override
    @Hidden
    void compare() {
        int count = length(held);
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
            long old = bits(held, i);
            long now = bits(owner, from + i);
            if (old != now) {
                stored(owner, from + i, now, null);
                hit(from + i, old, null, now, null);
            }
        }
    }

    /** An element that is no reference. */
    @Hidden
    private static long bits(Object array, int i) {
        if (array instanceof int[]) {
            return ((int[]) array)[i];
        }
        if (array instanceof byte[]) {
            return ((byte[]) array)[i];
        }
        if (array instanceof char[]) {
            return ((char[]) array)[i];
        }
        if (array instanceof long[]) {
            return ((long[]) array)[i];
        }
        if (array instanceof double[]) {
            return Double.doubleToRawLongBits(((double[]) array)[i]);
        }
        if (array instanceof float[]) {
            return Float.floatToRawIntBits(((float[]) array)[i]);
        }
        if (array instanceof short[]) {
            return ((short[]) array)[i];
        }
        return ((boolean[]) array)[i] ? 1 : 0;
    }

    /** A store of the program replaces what the array held before the calls that were given it. */
    @Hidden
    static void take(Object array, int index, long bits, Object value) {
        for (QuerypointProbeGiven one = open; one != null; one = one.next) {
            if (one.owner == array && one instanceof QuerypointProbeGivenArray) {
                QuerypointProbeGivenArray given = (QuerypointProbeGivenArray) one;
                int at = index - given.from;
                if (at >= 0 && at < length(given.held)) {
                    given.take(at, bits, value);
                }
            }
        }
    }

    @Hidden
    private void take(int at, long bits, Object value) {
        if (held instanceof Object[]) {
            ((Object[]) held)[at] = value;
        } else if (held instanceof int[]) {
            ((int[]) held)[at] = (int) bits;
        } else if (held instanceof byte[]) {
            ((byte[]) held)[at] = (byte) bits;
        } else if (held instanceof char[]) {
            ((char[]) held)[at] = (char) bits;
        } else if (held instanceof long[]) {
            ((long[]) held)[at] = bits;
        } else if (held instanceof double[]) {
            ((double[]) held)[at] = Double.longBitsToDouble(bits);
        } else if (held instanceof float[]) {
            ((float[]) held)[at] = Float.intBitsToFloat((int) bits);
        } else if (held instanceof short[]) {
            ((short[]) held)[at] = (short) bits;
        } else {
            ((boolean[]) held)[at] = (bits & 1) != 0;
        }
    }
}
