package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * What the code in recorded methods calls where it writes: an event with what was there before. A write that
 * will throw is none.
 */
public final class QuerypointTraceWrites {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The fields of so many sites are remembered together. */
    private static final int SOME = 1 << 10;

    /**
     * By site: how far from the beginning of its object the field is that is written there; 0 where nobody
     * has asked.
     */
    @Stable private static final long[][] OFFSETS = new long[1 << 12][];

    @Hidden
    private QuerypointTraceWrites() {
    }

    @Hidden
    private static long offset(Object owner, int site) {
        int group = site / SOME;
        long[] some = group < OFFSETS.length ? OFFSETS[group] : null;
        long known = some == null ? 0 : some[site % SOME];
        return known != 0 ? known : find(owner, site);
    }

    /** 0 where the field is not found: then it is lost what it has held. */
    @Hidden
    @DontInline
    private static long find(Object owner, int site) {
        try {
            java.lang.reflect.Field field = QuerypointTraceAgent.field(site, owner.getClass());
            long offset = field == null ? 0 : U.objectFieldOffset(field);
            int group = site / SOME;
            if (offset != 0 && group < OFFSETS.length) {
                synchronized (OFFSETS) {
                    if (OFFSETS[group] == null) {
                        OFFSETS[group] = new long[SOME];
                    }
                }
                OFFSETS[group][site % SOME] = offset;
            }
            if (offset == 0) {
                QuerypointTraceAgent.lose(QuerypointTraceAgent.FIELD);
            }
            return offset;
        } catch (OutOfMemoryError e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.FIELD);
            return 0;
        }
    }

    /** A field of an object is about to be written. */
    @Hidden
    public static void put(Object owner, int value, long ring, int site) {
        if (owner == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            told(QuerypointTrace.number(owner), U.getInt(owner, offset), value, ring, site);
        }
    }

    /** As {@link #put(Object, int, long, int)}, of a {@code byte} or {@code boolean}. */
    @Hidden
    public static void putByte(Object owner, int value, long ring, int site) {
        if (owner == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            told(QuerypointTrace.number(owner), (int) U.getByte(owner, offset), value, ring, site);
        }
    }

    @Hidden
    public static void putShort(Object owner, int value, long ring, int site) {
        if (owner == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            told(QuerypointTrace.number(owner), (int) U.getShort(owner, offset), value, ring, site);
        }
    }

    @Hidden
    public static void putChar(Object owner, int value, long ring, int site) {
        if (owner == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            told(QuerypointTrace.number(owner), (int) U.getChar(owner, offset), value, ring, site);
        }
    }

    @Hidden
    public static void put(Object owner, long value, long ring, int site) {
        if (owner == null || QuerypointTrace.isOutside(ring)) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            told(QuerypointTrace.number(owner), U.getLong(owner, offset), value, ring, site);
        }
    }

    @Hidden
    public static void put(Object owner, float value, long ring, int site) {
        put(owner, Float.floatToRawIntBits(value), ring, site);
    }

    @Hidden
    public static void put(Object owner, double value, long ring, int site) {
        put(owner, Double.doubleToRawLongBits(value), ring, site);
    }

    @Hidden
    public static void put(Object owner, Object value, long ring, int site) {
        if (owner == null) {
            return;
        }
        if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(value);
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            int old = QuerypointTrace.number(U.getReference(owner, offset), ring);
            told(QuerypointTrace.number(owner), old, QuerypointTrace.number(value, ring), ring, site);
        }
    }

    /** A static field is about to be written. */
    @Hidden
    public static void putStatic(int old, int value, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            return;
        }
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(old, at, 4);
        QuerypointTrace.set(value, at, 8);
        QuerypointTrace.end(ring, 12);
    }

    @Hidden
    public static void putStatic(long old, long value, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            return;
        }
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(old, at, 4);
        QuerypointTrace.set(value, at, 12);
        QuerypointTrace.end(ring, 20);
    }

    @Hidden
    public static void putStatic(float old, float value, long ring, int site) {
        putStatic(Float.floatToRawIntBits(old), Float.floatToRawIntBits(value), ring, site);
    }

    @Hidden
    public static void putStatic(double old, double value, long ring, int site) {
        putStatic(Double.doubleToRawLongBits(old), Double.doubleToRawLongBits(value), ring, site);
    }

    @Hidden
    public static void putStatic(Object old, Object value, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(value);
            return;
        }
        putStatic(QuerypointTrace.number(old, ring), QuerypointTrace.number(value, ring), ring, site);
    }

    /** An element is about to be written. */
    @Hidden
    public static void element(int[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            told(QuerypointTrace.number(array), index, array[index], value, ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    public static void element(char[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            told(QuerypointTrace.number(array), index, (int) array[index], value, ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    public static void element(short[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            told(QuerypointTrace.number(array), index, (int) array[index], value, ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    public static void element(long[] array, int index, long value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            told(QuerypointTrace.number(array), index, array[index], value, ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    public static void element(float[] array, int index, float value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            int old = Float.floatToRawIntBits(array[index]);
            told(QuerypointTrace.number(array), index, old, Float.floatToRawIntBits(value), ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, Float.floatToRawIntBits(value));
            }
        }
    }

    @Hidden
    public static void element(double[] array, int index, double value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length && !QuerypointTrace.isOutside(ring)) {
            long old = Double.doubleToRawLongBits(array[index]);
            told(QuerypointTrace.number(array), index, old, Double.doubleToRawLongBits(value), ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, Double.doubleToRawLongBits(value));
            }
        }
    }

    /** Of an array of {@code byte} or {@code boolean}. */
    @Hidden
    public static void element(Object array, int index, int value, long ring, int site) {
        boolean[] flags = array instanceof boolean[] ? (boolean[]) array : null;
        byte[] bytes = array instanceof byte[] ? (byte[]) array : null;
        int length = flags != null ? flags.length : bytes != null ? bytes.length : 0;
        if (index >= 0 && index < length && !QuerypointTrace.isOutside(ring)) {
            int old = bytes != null ? bytes[index] : flags[index] ? 1 : 0;
            told(QuerypointTrace.number(array), index, old, value, ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    public static void element(Object[] array, int index, Object value, long ring, int site) {
        if (QuerypointTrace.isOutside(ring)) {
            QuerypointTraceContents.passed(value);
        } else if (array != null
                && index >= 0
                && index < array.length
                && (value == null || array.getClass().getComponentType().isInstance(value))) {
            int old = QuerypointTrace.number(array[index], ring);
            told(QuerypointTrace.number(array), index, old, QuerypointTrace.number(value, ring), ring, site);
            if (QuerypointTraceArrays.isOpen()) {
                QuerypointTraceArrays.stored(array, index, value);
            }
        }
    }

    @Hidden
    @ForceInline
    static void told(int object, int old, int value, long ring, int site) {
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(object, at, 4);
        QuerypointTrace.set(old, at, 8);
        QuerypointTrace.set(value, at, 12);
        QuerypointTrace.end(ring, 16);
    }

    @Hidden
    @ForceInline
    static void told(int object, int index, int old, int value, long ring, int site) {
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(object, at, 4);
        QuerypointTrace.set(index, at, 8);
        QuerypointTrace.set(old, at, 12);
        QuerypointTrace.set(value, at, 16);
        QuerypointTrace.end(ring, 20);
    }

    @Hidden
    @ForceInline
    static void told(int object, long old, long value, long ring, int site) {
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(object, at, 4);
        QuerypointTrace.set(old, at, 8);
        QuerypointTrace.set(value, at, 16);
        QuerypointTrace.end(ring, 24);
    }

    @Hidden
    @ForceInline
    static void told(int object, int index, long old, long value, long ring, int site) {
        long at = QuerypointTrace.begin(ring, site);
        QuerypointTrace.set(object, at, 4);
        QuerypointTrace.set(index, at, 8);
        QuerypointTrace.set(old, at, 12);
        QuerypointTrace.set(value, at, 20);
        QuerypointTrace.end(ring, 28);
    }
}
