package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * What the code in recorded methods calls where it writes: an event with what was there before. A write that will throw is
 * none.
 */
public final class QuerypointTraceWrites {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The fields of so many sites are remembered together. */
    private static final int SOME = 1 << 10;

    /** By site: how far from the beginning of its object the field is that is written there; 0 where nobody has asked. */
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
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 8));
            at = QuerypointTrace.value(U.getInt(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    /** As {@link #put(Object, int, long, int)}, of a {@code byte} or {@code boolean}. */
    @Hidden
    public static void putByte(Object owner, int value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 8));
            at = QuerypointTrace.value((int) U.getByte(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void putShort(Object owner, int value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 8));
            at = QuerypointTrace.value((int) U.getShort(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void putChar(Object owner, int value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 8));
            at = QuerypointTrace.value((int) U.getChar(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void put(Object owner, long value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 16));
            at = QuerypointTrace.value(U.getLong(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void put(Object owner, float value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 8));
            at = QuerypointTrace.value(U.getFloat(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void put(Object owner, double value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + REFERENCE + 16));
            at = QuerypointTrace.value(U.getDouble(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void put(Object owner, Object value, long ring, int site) {
        if (owner == null) {
            return;
        }
        long offset = offset(owner, site);
        if (offset != 0) {
            long at = QuerypointTrace.value(owner, QuerypointTrace.begin(ring, site, 4 + 3 * REFERENCE));
            at = QuerypointTrace.value(U.getReference(owner, offset), at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    /** A static field is about to be written. */
    @Hidden
    public static void putStatic(int old, int value, long ring, int site) {
        long at = QuerypointTrace.value(old, QuerypointTrace.begin(ring, site, 12));
        QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
    }

    @Hidden
    public static void putStatic(long old, long value, long ring, int site) {
        long at = QuerypointTrace.value(old, QuerypointTrace.begin(ring, site, 20));
        QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
    }

    @Hidden
    public static void putStatic(float old, float value, long ring, int site) {
        long at = QuerypointTrace.value(old, QuerypointTrace.begin(ring, site, 12));
        QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
    }

    @Hidden
    public static void putStatic(double old, double value, long ring, int site) {
        long at = QuerypointTrace.value(old, QuerypointTrace.begin(ring, site, 20));
        QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
    }

    @Hidden
    public static void putStatic(Object old, Object value, long ring, int site) {
        long at = QuerypointTrace.value(old, QuerypointTrace.begin(ring, site, 4 + 2 * REFERENCE));
        QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
    }

    /** An element is about to be written. */
    @Hidden
    public static void element(int[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 8);
            at = QuerypointTrace.value(array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void element(char[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 8);
            at = QuerypointTrace.value((int) array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void element(short[] array, int index, int value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 8);
            at = QuerypointTrace.value((int) array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void element(long[] array, int index, long value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 16);
            at = QuerypointTrace.value(array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void element(float[] array, int index, float value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 8);
            at = QuerypointTrace.value(array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    public static void element(double[] array, int index, double value, long ring, int site) {
        if (array != null && index >= 0 && index < array.length) {
            long at = place(array, index, ring, site, 16);
            at = QuerypointTrace.value(array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    /** Of an array of {@code byte} or {@code boolean}. */
    @Hidden
    public static void element(Object array, int index, int value, long ring, int site) {
        boolean[] flags = array instanceof boolean[] ? (boolean[]) array : null;
        byte[] bytes = array instanceof byte[] ? (byte[]) array : null;
        int length = flags != null ? flags.length : bytes != null ? bytes.length : 0;
        if (index >= 0 && index < length) {
            long at = place(array, index, ring, site, 8);
            int old = bytes != null ? bytes[index] : flags[index] ? 1 : 0;
            QuerypointTrace.end(QuerypointTrace.value(value, QuerypointTrace.value(old, at)), ring);
        }
    }

    @Hidden
    public static void element(Object[] array, int index, Object value, long ring, int site) {
        if (array != null
                && index >= 0
                && index < array.length
                && (value == null || array.getClass().getComponentType().isInstance(value))) {
            long at = place(array, index, ring, site, 2 * REFERENCE);
            at = QuerypointTrace.value(array[index], at);
            QuerypointTrace.end(QuerypointTrace.value(value, at), ring);
        }
    }

    @Hidden
    private static long place(Object array, int index, long ring, int site, int most) {
        long at = QuerypointTrace.value(array, QuerypointTrace.begin(ring, site, 8 + REFERENCE + most));
        return QuerypointTrace.value(index, at);
    }

    private static final int REFERENCE = QuerypointTrace.REFERENCE;
}
