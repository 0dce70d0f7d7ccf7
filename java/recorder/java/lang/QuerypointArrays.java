package java.lang;

import jdk.internal.vm.annotation.Hidden;

/** Reads, writes and copies elements of arrays of any type. */
final class QuerypointArrays {
    @Hidden
    private QuerypointArrays() {
    }

    @Hidden
    static int length(Object array) {
        return java.lang.reflect.Array.getLength(array);
    }

    /** A copy of a part. That of an array of references is an {@code Object[]}. */
    @Hidden
    static Object copy(Object array, int from, int count) {
        Object copy = array instanceof int[] ? new int[count]
                : array instanceof byte[] ? new byte[count]
                : array instanceof char[] ? new char[count]
                : array instanceof long[] ? new long[count]
                : array instanceof double[] ? new double[count]
                : array instanceof float[] ? new float[count]
                : array instanceof short[] ? new short[count]
                : array instanceof boolean[] ? new boolean[count]
                : new Object[count];
        System.arraycopy(array, from, copy, 0, count);
        return copy;
    }

    /** An element that is no reference: the integer, or the bits of a {@code float} or {@code double}. */
    @Hidden
    static long bits(Object array, int index) {
        if (array instanceof int[]) {
            return ((int[]) array)[index];
        }
        if (array instanceof byte[]) {
            return ((byte[]) array)[index];
        }
        if (array instanceof char[]) {
            return ((char[]) array)[index];
        }
        if (array instanceof long[]) {
            return ((long[]) array)[index];
        }
        if (array instanceof double[]) {
            return Double.doubleToRawLongBits(((double[]) array)[index]);
        }
        if (array instanceof float[]) {
            return Float.floatToRawIntBits(((float[]) array)[index]);
        }
        if (array instanceof short[]) {
            return ((short[]) array)[index];
        }
        return ((boolean[]) array)[index] ? 1 : 0;
    }

    /** Writes an element that is no reference; {@code bits} as {@link #bits} returns them. */
    @Hidden
    static void write(Object array, int index, long bits) {
        if (array instanceof int[]) {
            ((int[]) array)[index] = (int) bits;
        } else if (array instanceof byte[]) {
            ((byte[]) array)[index] = (byte) bits;
        } else if (array instanceof char[]) {
            ((char[]) array)[index] = (char) bits;
        } else if (array instanceof long[]) {
            ((long[]) array)[index] = bits;
        } else if (array instanceof double[]) {
            ((double[]) array)[index] = Double.longBitsToDouble(bits);
        } else if (array instanceof float[]) {
            ((float[]) array)[index] = Float.intBitsToFloat((int) bits);
        } else if (array instanceof short[]) {
            ((short[]) array)[index] = (short) bits;
        } else {
            ((boolean[]) array)[index] = (bits & 1) != 0;
        }
    }
}
