package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The last hits of one query in one thread, by the identity hash codes of owners. They lie outside the heap, which belongs
 * to the program.
 *
 * <p>Only its thread writes here. Whoever asks while the program stands only reads: that thread may stand anywhere.
 */
final class QuerypointProbeKept {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** So many hits wait until they are put into rows. */
    private static final int WAITING = 64;
    /** So often the owner changes at one site until its hits wait by their hash codes alone. */
    private static final int OFTEN = 256;
    /** With fewer rows nothing is gained by asking which owners are gone. */
    private static final int FEW = 1 << 21;
    private static final int MOST = 1 << 27;
    /** A word, in which the number of bits of a row's place is, before the rows. */
    private static final int HEAD = 16;
    /** Of a record: its owner was gone. */
    private static final long GONE = 1L << 63;

    private final int query;
    /** Rows of two words: turn and hash, then the record. A row is free while its record is 0. The address of their head; 0
     * before there are any. */
    private long rows;
    private int used;
    /** No owner is asked for before there are so many rows. */
    private int patience = FEW;
    /** Hits that are in no row yet, in their order: such rows too. */
    private long fresh;
    private int waiting;

    /** Where the owner changed last, and how often it has there. */
    private QuerypointProbeSite often;
    private int changes;
    /** The site whose hits follow each other now. */
    private QuerypointProbeSite site;
    private int number;
    private int turn;
    /** The first of those hits that is in no row yet, and the last of a streak that was stopped. */
    private long since = 1;
    private long until;
    /** By the lower bits of such a hit, the hash code of its owner. */
    private long hashes;
    /** The owners are few and come again: each has a place here by the lower bits of its hash code, of two words: that code,
     * and its last hit, 0 for none. Then no hit waits by its number. */
    private boolean few;
    private long places;
    /** So many hits found their place taken by another owner, since so many hits of the site. */
    private int ousted;
    private long asOf;
    /** Of what {@link #settle()} reads ahead. */
    private long read;

    /** Of what was found: when that thread held the query, and the record. */
    int latest;
    long record;

    @Hidden
    QuerypointProbeKept(int query) {
        this.query = query;
    }

    @Hidden
    void keep(int hash, int turn, long record) {
        if (record >>> 20 == 0 || !begin() || !rest()) {
            return;
        }
        add(hash, turn, record);
    }

    @Hidden
    private void add(int hash, int turn, long record) {
        long at = fresh + ((long) waiting << 4);
        U.putLong(at, (long) turn << 32 | hash & 0xffffffffL);
        U.putLong(at + 8, record);
        waiting++;
    }

    /** Whether this hit is the first of a streak. */
    @Hidden
    boolean starts(QuerypointProbeSite site, int turn, long n, int hash) {
        if (often != site) {
            often = site;
            changes = 0;
        }
        if (++changes < OFTEN || !rest()) {
            return false;
        }
        changes = 0;
        number = site.number;
        this.turn = turn;
        since = n;
        this.site = site;
        site.streak = this;
        follow(n, hash);
        return this.site != null;
    }

    /** A hit of the streak. It costs a store or two: the hit's number says the rest. */
    @Hidden
    @ForceInline
    void follow(long n, int hash) {
        if (few) {
            long place = places + ((hash & WAITING - 1) << 4);
            if ((int) U.getLong(place) == hash) {
                U.putLong(place + 8, n);
            } else {
                oust(place, n, hash);
            }
            return;
        }
        U.putInt(hashes + ((n & WAITING - 1) << 2), hash);
        if ((n & WAITING - 1) == WAITING - 1) {
            settle(n);
        }
    }

    /** Another owner has the place of this hit's. */
    @Hidden
    @DontInline
    private void oust(long place, long n, int hash) {
        long before = U.getLong(place + 8);
        if (before != 0) {
            if (waiting == WAITING && !settle()) {
                end();
                return;
            }
            add((int) U.getLong(place), turn, before << 20 | number);
        }
        U.putLong(place, hash & 0xffffffffL);
        U.putLong(place + 8, n);
        if (++ousted == WAITING) {
            ousted = 0;
            if (n - asOf < 4 * WAITING) {
                clear();
                since = n + 1;
                few = false;
            }
            asOf = n;
        }
    }

    /** Puts into rows what has a place. */
    @Hidden
    private void clear() {
        for (int i = 0; i < WAITING; i++) {
            long place = places + ((long) i << 4);
            long n = U.getLong(place + 8);
            if (n != 0 && (waiting < WAITING || settle())) {
                add((int) U.getLong(place), turn, n << 20 | number);
            }
            U.putLong(place + 8, 0);
        }
    }

    /** The streak has ended; maybe another thread says so. */
    @Hidden
    void stop() {
        QuerypointProbeSite of = site;
        if (of != null) {
            until = of.count;
            end();
        }
    }

    @Hidden
    private void end() {
        QuerypointProbeSite of = site;
        site = null;
        if (of != null) {
            of.streak = null;
        }
    }

    /** Puts into rows what a streak that has ended has left. */
    @Hidden
    private boolean rest() {
        long last = until;
        if (site == null && few) {
            clear();
            few = false;
            since = last + 1;
        } else if (site == null && last >= since) {
            settle(last);
        }
        return waiting < WAITING || settle();
    }

    /** Puts the hits of the streak up to the n-th into rows. */
    @Hidden
    @DontInline
    private void settle(long n) {
        if (waiting > 0 && !settle()) {
            end();
            return;
        }
        int same = 0;
        int again = 0;
        int before = 0;
        for (long i = since; i <= n && waiting < WAITING; i++) {
            int hash = U.getInt(hashes + ((i & WAITING - 1) << 2));
            add(hash, turn, i << 20 | number);
            long place = places + ((hash & WAITING - 1) << 4);
            same += hash == before ? 1 : 0;
            again += (int) U.getLong(place) == hash ? 1 : 0;
            U.putLong(place, hash & 0xffffffffL);
            before = hash;
        }
        since = n + 1;
        if (!settle() || same > WAITING / 2) {
            end();
        } else if (again > WAITING / 2) {
            ousted = 0;
            asOf = n;
            few = true;
        }
    }

    /** Puts into rows what waits. Of millions of objects each row is somewhere else in memory: all are read first, and
     * the memory answers side by side. */
    @Hidden
    private boolean settle() {
        if (rows == 0 || used + waiting > (1L << U.getInt(rows)) / 4 * 3) {
            if (!grow()) {
                waiting = 0;
                return false;
            }
        }
        long rows = this.rows;
        int bits = U.getInt(rows);
        long sum = 0;
        for (int i = 0; i < waiting; i++) {
            sum += U.getLong(rows + HEAD + (place(bits, (int) U.getLong(fresh + ((long) i << 4))) << 4));
        }
        read = sum;
        for (int i = 0; i < waiting; i++) {
            long from = fresh + ((long) i << 4);
            long word = U.getLong(from);
            long at = row(rows, (int) word);
            if (U.getLong(at + 8) == 0) {
                used++;
            }
            U.putLong(at, word);
            U.putLong(at + 8, U.getLong(from + 8));
        }
        waiting = 0;
        return true;
    }

    /** Whether there is memory for what waits. */
    @Hidden
    private boolean begin() {
        if (fresh != 0) {
            return true;
        }
        try {
            hashes = U.allocateMemory(WAITING << 2);
            places = U.allocateMemory(WAITING << 4);
            U.setMemory(places, WAITING << 4, (byte) 0);
            fresh = U.allocateMemory(WAITING << 4);
            return true;
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.KEPT);
            return false;
        }
    }

    /** Whether there is a last hit on the owners with a hash code: {@link #record}. */
    @Hidden
    boolean find(int hash) {
        if (few) {
            long place = places + ((hash & WAITING - 1) << 4);
            if ((int) U.getLong(place) == hash && U.getLong(place + 8) != 0) {
                latest = turn;
                record = U.getLong(place + 8) << 20 | number;
                return true;
            }
        }
        QuerypointProbeSite running = site;
        long last = few ? 0 : running == null ? until : running.count;
        for (long i = last; i >= since && i > last - WAITING; i--) {
            if (U.getInt(hashes + ((i & WAITING - 1) << 2)) == hash) {
                latest = turn;
                record = i << 20 | number;
                return true;
            }
        }
        for (int i = waiting - 1; i >= 0; i--) {
            if ((int) U.getLong(fresh + ((long) i << 4)) == hash) {
                return found(fresh + ((long) i << 4));
            }
        }
        if (rows == 0) {
            return false;
        }
        long at = row(rows, hash);
        return U.getLong(at + 8) != 0 && found(at);
    }

    @Hidden
    private boolean found(long row) {
        latest = (int) (U.getLong(row) >>> 32);
        record = U.getLong(row + 8) & ~GONE;
        return true;
    }

    /** The row of a hash, or the free one where it belongs. */
    @Hidden
    private static long row(long rows, int hash) {
        int bits = U.getInt(rows);
        long at = place(bits, hash);
        while (true) {
            long address = rows + HEAD + (at << 4);
            if (U.getLong(address + 8) == 0 || (int) U.getLong(address) == hash) {
                return address;
            }
            at = at + 1 & (1L << bits) - 1;
        }
    }

    /** Where the row of a hash is, or behind which others. Twice as many rows have the same order. */
    @Hidden
    private static long place(int bits, int hash) {
        return hash * 0x9e3779b97f4a7c15L >>> 64 - bits;
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
            QuerypointProbeAgent.spread(wider, size);
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
