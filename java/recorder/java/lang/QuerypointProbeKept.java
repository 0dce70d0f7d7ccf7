package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * The last hits of one query in one thread, by the hashes of owners, their numbers, that have no row of their
 * own. They lie outside the heap, which belongs to the program.
 *
 * <p>Only its thread writes here. Whoever asks while the program stands only reads: that thread may stand
 * anywhere.
 */
final class QuerypointProbeKept {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** With fewer rows nothing is gained by asking which owners are gone. */
    private static final int FEW = 1 << 21;
    private static final int MOST = 1 << 27;
    /** A word, in which the number of bits of a row's place is, before the rows. */
    private static final int HEAD = 16;
    /** Of a record: its owner was gone. */
    private static final long GONE = 1L << 63;

    private final int query;
    /**
     * Rows of two words: turn and hash, then the record. A row is free while its record is 0. The address of
     * their head; 0 before there are any. */
    private long rows;
    private int used;
    /** No owner is asked for before there are so many rows. */
    private int patience = FEW;

    /** Of what was found: when that thread held the query, and the record. */
    int latest;
    long record;

    @Hidden
    QuerypointProbeKept(int query) {
        this.query = query;
    }

    @Hidden
    void keep(int hash, int turn, long record) {
        if ((rows == 0 || used >= (1L << U.getInt(rows)) / 4 * 3) && !grow()) {
            return;
        }
        long at = row(rows, hash);
        if (U.getLong(at + 8) == 0) {
            used++;
        }
        U.putLong(at, (long) turn << 32 | hash & 0xffffffffL);
        U.putLong(at + 8, record);
    }

    /** Whether there is a last hit on the owners with a hash: {@link #record}. */
    @Hidden
    boolean find(int hash) {
        if (rows == 0) {
            return false;
        }
        long at = row(rows, hash);
        latest = (int) (U.getLong(at) >>> 32);
        record = U.getLong(at + 8) & ~GONE;
        return record != 0;
    }

    /** The row of a hash, or the free one where it belongs. */
    @Hidden
    private static long row(long rows, int hash) {
        int bits = U.getInt(rows);
        long at = hash * 0x9e3779b97f4a7c15L >>> 64 - bits;
        while (true) {
            long address = rows + HEAD + (at << 4);
            if (U.getLong(address + 8) == 0 || (int) U.getLong(address) == hash) {
                return address;
            }
            at = at + 1 & (1L << bits) - 1;
        }
    }

    @Hidden
    private boolean grow() {
        try {
            long old = rows;
            int bits = old == 0 ? 10 : U.getInt(old) + 1;
            if (used >= patience) {
                int left = QuerypointProbeAgent.bury(query, old + HEAD, 1 << bits - 1, used);
                if (left >= 0) {
                    used = left;
                    bits--;
                } else {
                    // It takes long to ask. Most are alive, so it is asked again when there are many more.
                    patience = used * 3;
                }
            }
            if (1 << bits > MOST) {
                QuerypointProbeAgent.lose(QuerypointProbeAgent.OWNERS);
                return false;
            }
            long size = HEAD + (16L << bits);
            long wider = U.allocateMemory(size);
            U.setMemory(wider, size, (byte) 0);
            U.putInt(wider, bits);
            for (long i = 0; old != 0 && i < 1L << U.getInt(old); i++) {
                long from = old + HEAD + (i << 4);
                long record = U.getLong(from + 8);
                if (record > 0) {
                    long to = row(wider, (int) U.getLong(from));
                    U.putLong(to, U.getLong(from));
                    U.putLong(to + 8, record);
                }
            }
            rows = wider;
            if (old != 0) {
                U.freeMemory(old);
            }
            return true;
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.KEPT);
            return false;
        }
    }
}
