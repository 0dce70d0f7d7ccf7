package java.lang;

import jdk.internal.vm.annotation.Hidden;

/** A part of an array that a call of the JDK may write. */
public final class QuerypointProbeGivenArray extends QuerypointProbeGiven {
    /** One query asks at the call: only the elements that it asks for need to be looked at. */
    private static final int ALONE = 8;

    private final QuerypointArrayPart part;

    @Hidden
    QuerypointProbeGivenArray(Object beside, QuerypointArrayPart part) {
        super(beside, part.array);
        this.part = part;
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
        int to = QuerypointArrayPart.end(array, from, many, how);
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
            if (one instanceof QuerypointProbeGivenArray
                    && ((QuerypointProbeGivenArray) one).part.is(array, from, to)) {
                one.add(site, query, how);
                return beside;
            }
        }
        try {
            QuerypointArrayPart part = new QuerypointArrayPart(array, from, to);
            QuerypointProbeGivenArray given = new QuerypointProbeGivenArray(beside, part);
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
        for (int i = part.differing(0); i >= 0; i = part.differing(i + 1)) {
            int index = part.from + i;
            if (part.isOfReferences()) {
                Object now = ((Object[]) owner)[index];
                stored(owner, index, 0, now);
                hit(index, 0, part.old(i), 0, now);
            } else {
                long now = QuerypointArrays.bits(owner, index);
                stored(owner, index, now, null);
                hit(index, part.oldBits(i), null, now, null);
            }
        }
    }

    /** A store of the program replaces what the array held before the calls that were given it. */
    @Hidden
    static void take(Object array, int index, long bits, Object value) {
        for (QuerypointProbeGiven one = open; one != null; one = one.next) {
            if (one instanceof QuerypointProbeGivenArray) {
                ((QuerypointProbeGivenArray) one).part.take(array, index, bits, value);
            }
        }
    }
}
