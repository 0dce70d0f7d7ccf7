package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/** A query, of which the last hit of each owner is kept: what all threads share. */
final class QuerypointProbeQuery {
    /** How many hits still stop because they are among the first. */
    int left;
    /** Nothing is kept before the hit that is asked for: it is expected to be the last. */
    boolean dormant;
    /** Its hits are not logged: those that are asked for are known. */
    final boolean known;
    /** One hit is expected to be the last: no other owner than its own is asked about. */
    private final boolean narrow;
    /** That hit, while it stops. */
    private long awaited;
    /** The hash code of its owner, once that is known. */
    private int only;
    private boolean named;
    /** That owner's last hit. */
    private long record;

    /** Whether only hits with a certain method further down the stack are asked for. */
    final boolean from;
    /** Of the tested hits, only the one after so many others is asked for; -1: all are. */
    private final long before;
    /**
     * How many satisfied the conditions, how many of them came before that one and did not stop, and of how
     * many that is unknown.
     */
    private long satisfied;
    private long passed;
    private long unknown;
    /** For a log point: how many more lines it writes; -1 for any other query. */
    private long lines;

    private final int number;
    /** The index of the elements that are asked for; -1: any. */
    @Stable private final int index;
    /** Its hits, where no other run repeats this one; else null. */
    @Stable final QuerypointProbeVaried varied;
    /** What is kept, of owners that have numbers. */
    @Stable private final QuerypointProbeRows rows;
    /** The thread of the last hit that was kept by a hash code. */
    private QuerypointProbeThread holder;
    /** How often that was another one before: orders what different threads keep. */
    private int turn;

    @Hidden
    QuerypointProbeQuery(int number, int budget, int index, QuerypointProbeVaried varied) {
        this.number = number;
        this.varied = varied;
        this.index = index;
        this.left = budget < 0 ? 0 : budget;
        this.dormant = budget < 0;
        this.known = budget < 0;
        this.narrow = budget == -2;
        long[] asked = QuerypointProbeAgent.asked(number);
        this.before = asked == null ? -1 : asked[0];
        this.from = asked != null && asked[1] != 0;
        this.lines = asked == null ? -1 : asked[2];
        this.rows = new QuerypointProbeRows(number, !narrow && !QuerypointProbe.COUNTING && varied == null);
    }

    /**
     * Whether a tested hit need not stop: it comes before the one that is asked for, or after it. Those of
     * which it is unknown whether they satisfy the conditions can all turn out to do so, or none.
     */
    @Hidden
    boolean isOther(int result) {
        if (lines >= 0) {
            // The VM writes the line itself, or there are enough of them.
            return result == 1 || lines == 0;
        }
        if (before < 0) {
            return false;
        }
        synchronized (this) {
            if (satisfied > before) {
                return true;
            }
            if (result != 1) {
                unknown++;
                return false;
            }
            satisfied++;
            if (satisfied + unknown <= before) {
                passed++;
                return true;
            }
            return false;
        }
    }

    /** Whether it writes further lines. */
    @Hidden
    @ForceInline
    boolean logs() {
        return lines > 0;
    }

    /** Whether it writes one more line. */
    @Hidden
    synchronized boolean takesLine() {
        if (lines <= 0) {
            return false;
        }
        lines--;
        return true;
    }

    /** How many hits have passed since they come before the one that is asked for. */
    @Hidden
    synchronized long passed() {
        return passed;
    }

    /** The index of the elements that are asked for; -1: any. */
    @Hidden
    int index() {
        return index;
    }

    /** Whether an element is not asked for. */
    @Hidden
    @ForceInline
    boolean skips(int index) {
        return this.index >= 0 && this.index != index;
    }

    /** The hit that is asked for has come: from here on hits are kept. */
    @Hidden
    void wake(long record) {
        if (dormant) {
            awaited = record;
            dormant = false;
        }
    }

    /** Keeps a hit if it is of the owner that is expected. */
    @Hidden
    private void keepOnly(long record, int hash) {
        if (!named && record == awaited) {
            only = hash;
            named = true;
        }
        if (named && hash == only) {
            this.record = record;
        }
    }

    /** The hit of this record is the last one of an owner. */
    @Hidden
    @ForceInline
    void keep(QuerypointProbeSite site, long record, Object owner) {
        if (!rows.keep(owner, record) && !dormant) {
            add(site, record, owner);
        }
    }

    /** As {@link #keep}, of an element that is asked for. */
    @Hidden
    @ForceInline
    void keepElement(QuerypointProbeSite site, long record, Object array, int index) {
        if (this.index >= 0) {
            keep(site, record, array);
        } else if (!rows.keep(array, index, record) && !dormant) {
            add(site, record, array, index);
        }
    }

    @Hidden
    @DontInline
    private void add(QuerypointProbeSite site, long record, Object owner) {
        if (narrow) {
            keepOnly(record, hash(owner, 0));
        } else if (!rows.add(owner, record)) {
            add(site, record, hash(owner, 0));
        }
    }

    @Hidden
    @DontInline
    private void add(QuerypointProbeSite site, long record, Object array, int index) {
        if (narrow) {
            keepOnly(record, hash(array, index));
        } else if (!rows.add(array, index, record)) {
            add(site, record, hash(array, index));
        }
    }

    /** Keeps a hit by the hash code of its owner. */
    @Hidden
    private void add(QuerypointProbeSite site, long record, int hash) {
        QuerypointProbeThread own = site.probe;
        QuerypointProbeKept kept = own == null ? null : own.kept(number);
        if (kept == null) {
            return;
        }
        if (holder != own) {
            synchronized (QuerypointProbeThread.LOCK) {
                turn++;
                holder = own;
            }
        }
        kept.keep(hash, turn, record);
    }

    /** Tells owners apart, but for a few that share a number: whoever asks looks again. */
    @Hidden
    private static int hash(Object owner, int index) {
        return QuerypointProbeNumber.give(owner) + index * 0x9e3779b1;
    }

    /**
     * The last hit on an owner or element: "site ordinal thread"; "" for none; "? why" where that is not
     * known.
     */
    @Hidden
    String last(Object owner, int index) {
        if (varied != null) {
            return varied.last(owner, index);
        }
        int hash = hash(owner, this.index >= 0 ? 0 : index);
        if (narrow && named && hash == only) {
            return QuerypointProbeSite.told(record);
        }
        if (dormant || narrow) {
            return "? the hit that was expected had not come";
        }
        // Once an owner has a row, nothing more is kept of it elsewhere.
        long record = rows.find(owner, index);
        return record == 0 ? told(hash) : QuerypointProbeSite.told(record);
    }

    /** The last hit of the owners with a hash. */
    @Hidden
    private String told(int hash) {
        long record = 0;
        int latest = -1;
        for (QuerypointProbeThread thread = QuerypointProbeThread.newest; thread != null; thread = thread.older) {
            QuerypointProbeKept own = thread.kept[number];
            if (own != null && own.find(hash) && own.latest > latest) {
                latest = own.latest;
                record = own.record;
            }
        }
        return record == 0 ? "" : QuerypointProbeSite.told(record);
    }
}
