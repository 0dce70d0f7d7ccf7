package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * What the recorder knows of a thread. It is that thread's own; another reads it only while the program
 * stands.
 */
final class QuerypointProbeThread {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");

    /** Most threads that are told apart. */
    private static final int MOST = 1 << 16;
    /** So many sites are made at once for a thread: later there may be no memory for them. */
    private static final int FEW = 256;
    /** Where there are more threads, each gets a site when it first comes there. */
    private static final int MANY = 64;
    static final Object LOCK = new Object();

    /** By the lower bits of the thread's number; further ones behind {@link #chained}. */
    private static QuerypointProbeThread[] table = new QuerypointProbeThread[256];
    static QuerypointProbeThread newest;
    private static int threads;

    /** Tells it from all other threads of the run, whatever their names. */
    final long tid;
    final String name;
    /** Of a thread without a name: whether it is virtual. */
    private final boolean isVirtual;
    /** Tells it from other threads in the log. */
    final int place;
    private QuerypointProbeThread chained;
    final QuerypointProbeThread older;

    /** Those of this thread, by number. */
    private QuerypointProbeSite[] sites = new QuerypointProbeSite[16];
    /** By query. */
    final QuerypointProbeKept[] kept = new QuerypointProbeKept[QuerypointProbe.QUERIES.length];
    /** How often it has stopped. */
    int stops;
    /** How many activations were numbered. */
    long serial;
    /** The calls of collections' methods that it is in. */
    QuerypointProbeContents.Calls calls;
    /** A method is called for the debugger: nothing counts. */
    private boolean quiet;
    /** Its last record in the log says that it stands. */
    boolean marked;

    @Hidden
    private QuerypointProbeThread(Thread thread, long tid, int place, QuerypointProbeThread older) {
        this.tid = tid;
        this.name = thread.getName();
        this.isVirtual = QuerypointProbeNumber.isVirtual(thread);
        this.place = place;
        this.older = older;
    }

    /** What tells it from other threads: "number virtual name", where `virtual` is 1 or 0. */
    @Hidden
    String told() {
        return QuerypointProbeAgent.joined(tid, isVirtual ? 1 : 0).concat(" ").concat(name);
    }

    /** Null where there is no memory left. */
    @Hidden
    static QuerypointProbeThread of(Thread thread) {
        long tid = U.getLong(thread, TID);
        QuerypointProbeThread known = find(tid);
        return known != null ? known : enlist(thread, tid);
    }

    @Hidden
    private static QuerypointProbeThread find(long tid) {
        QuerypointProbeThread[] all = table;
        QuerypointProbeThread known = all[(int) tid & (all.length - 1)];
        while (known != null && known.tid != tid) {
            known = known.chained;
        }
        return known;
    }

    @Hidden
    private static QuerypointProbeThread enlist(Thread thread, long tid) {
        try {
            return newest(thread, tid);
        } catch (Throwable e) {
            QuerypointProbeAgent.yield();
        }
        try {
            return newest(thread, tid);
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.THREAD);
            return null;
        }
    }

    @Hidden
    private static QuerypointProbeThread newest(Thread thread, long tid) {
        synchronized (LOCK) {
            // While the table was made wider it may have looked as if it were not there.
            QuerypointProbeThread known = find(tid);
            if (known != null) {
                return known;
            }
            if (threads >= MOST && !QuerypointProbe.COUNTING) {
                QuerypointProbeAgent.lose(QuerypointProbeAgent.THREADS);
            } else if (threads > table.length) {
                rehash();
            }
            QuerypointProbeThread made = new QuerypointProbeThread(thread, tid, threads, newest);
            int at = (int) tid & (table.length - 1);
            made.chained = table[at];
            U.storeFence();
            table[at] = made;
            newest = made;
            threads++;
            return made;
        }
    }

    @Hidden
    private static void rehash() {
        QuerypointProbeThread[] wider = new QuerypointProbeThread[table.length * 4];
        for (QuerypointProbeThread thread = newest; thread != null; thread = thread.older) {
            int at = (int) thread.tid & (wider.length - 1);
            thread.chained = wider[at];
            wider[at] = thread;
        }
        U.storeFence();
        table = wider;
    }

    /** The site of a number in a thread; null where nothing counts. */
    @Hidden
    static QuerypointProbeSite site(Thread thread, int number) {
        QuerypointProbeThread known = of(thread);
        if (known == null || known.quiet) {
            return null;
        }
        QuerypointProbeSite[] own = known.sites;
        QuerypointProbeSite site = number < own.length ? own[number] : null;
        return site != null ? site : known.first(thread, number);
    }

    /** The first hit of a site in this thread; null where there is no memory left. */
    @Hidden
    private QuerypointProbeSite first(Thread thread, int number) {
        try {
            return make(thread, number);
        } catch (Throwable e) {
            QuerypointProbeAgent.yield();
        }
        try {
            return make(thread, number);
        } catch (Throwable e) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.SITE);
            return null;
        }
    }

    @Hidden
    private QuerypointProbeSite make(Thread thread, int number) {
        synchronized (LOCK) {
            int known = QuerypointProbeAgent.known();
            boolean one = QuerypointProbe.COUNTING || known > FEW || threads > MANY;
            int from = one ? number : 0;
            int to = one ? number + 1 : known;
            if (to > sites.length) {
                widen(to);
            }
            for (int i = from; i < to; i++) {
                if (sites[i] == null) {
                    sites[i] = QuerypointProbeSite.make(thread, this, i);
                }
            }
            return sites[number];
        }
    }

    @Hidden
    private void widen(int least) {
        QuerypointProbeSite[] old = sites;
        QuerypointProbeSite[] wider = new QuerypointProbeSite[Math.max(least, old.length * 2)];
        for (int i = 0; i < old.length; i++) {
            wider[i] = old[i];
        }
        sites = wider;
    }

    /** What this thread keeps of a query; null where there is no memory left. */
    @Hidden
    QuerypointProbeKept kept(int query) {
        QuerypointProbeKept known = kept[query];
        if (known == null) {
            try {
                known = new QuerypointProbeKept(query);
            } catch (Throwable e) {
                QuerypointProbeAgent.lose(QuerypointProbeAgent.KEPT);
                return null;
            }
            kept[query] = known;
        }
        return known;
    }

    @Hidden
    boolean isQuiet() {
        return quiet;
    }

    /** Nothing that this thread does from here on is counted, or it is again. */
    @Hidden
    void quiet(Thread thread, boolean on) {
        quiet = on;
        QuerypointProbeSite.offer(this, on ? null : thread);
    }
}
