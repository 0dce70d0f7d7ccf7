package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * A part of an array that a call may write, with a copy of its elements from before the call. A write that is
 * told otherwise is taken over into the copy, so that no write counts twice.
 */
final class QuerypointArrayPart {
    /** The part is given by its first index and the one after its last, not by its length. */
    private static final int UP_TO = 4;

    final Object array;
    final int from;
    private final Object held;

    /** The copy can fail with an {@code OutOfMemoryError}. */
    @Hidden
    QuerypointArrayPart(Object array, int from, int to) {
        this.array = array;
        this.from = from;
        held = QuerypointArrays.copy(array, from, to - from);
    }

    /** The index after the last one of a part that begins at {@code from}. */
    @Hidden
    static int end(Object array, int from, int many, int how) {
        int length = QuerypointArrays.length(array);
        if ((how & UP_TO) != 0) {
            return Math.min(many, length);
        }
        return many < length - from ? from + many : length;
    }

    /** Whether it is this part. */
    @Hidden
    boolean is(Object of, int begin, int end) {
        return array == of && from == begin && QuerypointArrays.length(held) == end - begin;
    }

    @Hidden
    boolean isOfReferences() {
        return held instanceof Object[];
    }

    /** The place in the part, from {@code at}, of the next element that is not as before; -1 for none. */
    @Hidden
    int differing(int at) {
        int count = QuerypointArrays.length(held);
        for (int i = at; i < count; i++) {
            boolean isSame = isOfReferences()
                    ? old(i) == ((Object[]) array)[from + i]
                    : oldBits(i) == QuerypointArrays.bits(array, from + i);
            if (!isSame) {
                return i;
            }
        }
        return -1;
    }

    /** The reference that was at a place of the part. */
    @Hidden
    Object old(int at) {
        return ((Object[]) held)[at];
    }

    /** What was at a place of the part, if that is no reference. */
    @Hidden
    long oldBits(int at) {
        return QuerypointArrays.bits(held, at);
    }

    /** An element of an array was written: a reference {@code value}, or {@code bits}. */
    @Hidden
    void take(Object of, int index, long bits, Object value) {
        int at = index - from;
        if (array != of || at < 0 || at >= QuerypointArrays.length(held)) {
            return;
        }
        if (isOfReferences()) {
            ((Object[]) held)[at] = value;
        } else {
            QuerypointArrays.write(held, at, bits);
        }
    }
}
