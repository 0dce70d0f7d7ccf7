package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * The last hits of one query by the numbers of owners: a word for each, outside the heap, which belongs to
 * the program.
 *
 * <p>All threads write the same rows: what happens before something else is written before it. Owners whose
 * hash codes the program has asked for first have no row: their numbers are far up.
 */
final class QuerypointProbeRows {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Cells of an array that has none: a length of 0. */
    private static final long NONE = QuerypointProbeNumber.IN_TURN ? none() : 0;

    private final int query;
    /** Whether more owners may have rows. */
    private boolean open;
    /** Owners with lower numbers have rows; 0 where none has. */
    private long limit;
    /**
     * Where the row of number 0 is. A row is the last hit of an owner or, where any element of an array is
     * asked for, the address of the array's cells: their number, then the last hit of each element. */
    @Stable private final long rows;
    /** Whether the rows tell of cells. */
    private boolean celled;

    @Hidden
    QuerypointProbeRows(int query, boolean wanted) {
        this.query = query;
        long rows = 0;
        if (wanted && QuerypointProbeNumber.IN_TURN) {
            rows = QuerypointProbeAgent.reserve(query, Runtime.getRuntime().maxMemory());
        }
        this.rows = rows;
        this.open = rows != 0;
    }

    @Hidden
    private static long none() {
        long none = U.allocateMemory(8);
        U.putLong(null, none, 0);
        return none;
    }

    /** Keeps a hit, if the owner is known to have a row. */
    @Hidden
    @ForceInline
    boolean keep(Object owner, long record) {
        long limit = this.limit;
        if (limit == 0) {
            return false;
        }
        long row = owner == null ? 0 : QuerypointProbeNumber.row(owner);
        if (row >= limit) {
            return false;
        }
        U.putLong(null, rows + (row << 3), record);
        return true;
    }

    /** Keeps a hit of an element, if the array is known to have cells. */
    @Hidden
    @ForceInline
    boolean keep(Object array, int index, long record) {
        long limit = this.limit;
        if (limit == 0 || array == null) {
            return false;
        }
        long row = QuerypointProbeNumber.row(array);
        return row < limit && keep(row, index, record);
    }

    @Hidden
    @ForceInline
    private boolean keep(long row, int index, long record) {
        long cells = U.getLong(null, rows + (row << 3));
        if (cells == 0 || (index & 0xffffffffL) >= U.getLong(null, cells)) {
            return false;
        }
        U.putLong(null, cells + 8 + ((long) index << 3), record);
        return true;
    }

    /** Keeps a hit; false where the owner cannot have a row. */
    @Hidden
    @DontInline
    boolean add(Object owner, long record) {
        int number = QuerypointProbeNumber.give(owner);
        if (number >= limit && !widen(number)) {
            return false;
        }
        U.putLong(null, rows + ((long) number << 3), record);
        return true;
    }

    /** Keeps a hit of an element; false where it cannot have a cell. */
    @Hidden
    @DontInline
    boolean add(Object array, int index, long record) {
        int number = QuerypointProbeNumber.give(array);
        return array != null
                && (number < limit || widen(number))
                && (keep(number, index, record) || enclose(array, number) && keep(number, index, record));
    }

    /** Whether an array has cells now. */
    @Hidden
    private boolean enclose(Object array, int number) {
        try {
            synchronized (QuerypointProbeThread.LOCK) {
                long row = rows + ((long) number << 3);
                if (U.getLong(null, row) == 0) {
                    long cells = QuerypointProbeAgent.cells(query, java.lang.reflect.Array.getLength(array));
                    celled = true;
                    U.storeFence();
                    U.putLong(null, row, cells == 0 ? NONE : cells);
                }
                return true;
            }
        } catch (Throwable e) {
            return false;
        }
    }

    /** Whether owners up to this number have rows now. */
    @Hidden
    private boolean widen(int number) {
        try {
            // It may be of an object of the VM's archive, or of one whose hash code the program has asked for
            // before.
            if (!open || number > QuerypointProbeNumber.last()) {
                return false;
            }
            synchronized (QuerypointProbeThread.LOCK) {
                while (open && number >= limit) {
                    int wider = QuerypointProbeAgent.widen(query);
                    open = wider > limit;
                    limit = open ? wider : limit;
                }
                return open;
            }
        } catch (Throwable e) {
            return false;
        }
    }

    /** The last hit of an owner or element; 0 for none. */
    @Hidden
    long find(Object owner, int index) {
        int number = QuerypointProbeNumber.give(owner);
        if (number >= limit) {
            return 0;
        }
        long row = U.getLong(null, rows + ((long) number << 3));
        if (!celled || row == 0) {
            return row;
        }
        return (index & 0xffffffffL) < U.getLong(null, row) ? U.getLong(null, row + 8 + ((long) index << 3)) : 0;
    }
}
