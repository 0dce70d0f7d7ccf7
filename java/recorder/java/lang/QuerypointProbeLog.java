package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/** The log of copies: what passes values on, hit by hit. All threads write it at once. */
final class QuerypointProbeLog {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** So many records lie in one piece of memory, each of so many bytes; so many pieces at most. */
    private static final int PIECE = 1 << 16;
    private static final int RECORD = 24;
    private static final int PIECES = 512;
    /** The pieces' addresses; 0 for none yet. */
    private static final long[] LOG = new long[PIECES];
    /** How many records there are. Where an array's elements are has other types in other VMs. */
    private static final QuerypointProbeLog LOGGED = new QuerypointProbeLog();
    private static final long COUNT = U.objectFieldOffset(QuerypointProbeLog.class, "count");
    /** So many of the first records were written to the file for good. */
    private static long written;

    private long count;

    @Hidden
    private QuerypointProbeLog() {
    }

    /** A hit, in which activation of which thread it was, and the element of an array that it is about. */
    @Hidden
    static void add(long hit, long activation, long element) {
        long at = U.getAndAddLong(LOGGED, COUNT, 1);
        if (at >= (long) PIECE * PIECES) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.LOG);
            return;
        }
        int piece = (int) (at / PIECE);
        long address = LOG[piece];
        if (address == 0) {
            address = piece(piece);
            if (address == 0) {
                return;
            }
        }
        address += at % PIECE * RECORD;
        U.putLong(address + 8, activation);
        U.putLong(address + 16, element);
        // Last, since what is not 0 is taken to be whole.
        U.putLongRelease(null, address, hit);
    }

    @Hidden
    private static long piece(int piece) {
        synchronized (QuerypointProbeThread.LOCK) {
            if (LOG[piece] == 0 && !QuerypointProbeAgent.hasLost()) {
                try {
                    long fresh = U.allocateMemory((long) PIECE * RECORD);
                    U.setMemory(fresh, (long) PIECE * RECORD, (byte) 0);
                    U.storeFence();
                    LOG[piece] = fresh;
                } catch (Throwable e) {
                    QuerypointProbeAgent.lose(QuerypointProbeAgent.LOG_MEMORY);
                }
            }
            return LOG[piece];
        }
    }

    /** Whether anything was logged. */
    @Hidden
    static boolean hasBegun() {
        return LOG[0] != 0;
    }

    /** Writes what was logged so far to the file; whether that was possible. */
    @Hidden
    static boolean write() {
        long all = U.getLongVolatile(LOGGED, COUNT);
        if (all > (long) PIECE * PIECES) {
            all = (long) PIECE * PIECES;
        }
        boolean whole = true;
        for (long at = written; at < all; at = (at / PIECE + 1) * PIECE) {
            long piece = LOG[(int) (at / PIECE)];
            if (piece == 0) {
                // A thread stands where it is about to take the memory.
                return true;
            }
            long from = piece + at % PIECE * RECORD;
            long length = PIECE - at % PIECE;
            if (length > all - at) {
                length = all - at;
            }
            if (!QuerypointProbeAgent.write(at * RECORD, from, length * RECORD)) {
                return false;
            }
            // Another thread may be about to write a record. Then this is written again.
            for (long i = 0; whole && i < length; i++) {
                whole = U.getLong(from + i * RECORD) != 0;
                if (whole) {
                    written = at + i + 1;
                }
            }
        }
        return true;
    }
}
