package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;
import jdk.internal.vm.annotation.Stable;

/**
 * A site in one thread: counts its hits, and stops at those that are asked for.
 *
 * <p>The compiler knows the elements of {@link #SITES} as constants. So a hit in the thread that was the
 * first at its site costs a few loads from known addresses; any other thread looks its own site up.
 */
final class QuerypointProbeSite {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long NEVER = Long.MAX_VALUE;
    /** What tells sites apart in a record: its lower bits are the {@link #number}, those above count hits. */
    static final int NUMBERS = 0xfffff;
    /** A hit more. */
    static final long HIT = NUMBERS + 1;

    /** The site of the thread that came first, by number. */
    @Stable private static final QuerypointProbeSite[] SITES = new QuerypointProbeSite[1 << 14];

    /** Every site of every thread, by its {@link #number}. */
    private static QuerypointProbeSite[] all = new QuerypointProbeSite[64];
    private static int made = 1;

    /** The thread to which {@link #SITES} offers it; null while that is set aside. */
    Thread thread;
    /** The last hit: how many there were. */
    long record;
    /** Records from here on stop. */
    long stop = NEVER;
    final QuerypointProbeThread probe;
    /** As the agent numbers it, whatever the thread. */
    final int site;
    @Stable final int number;
    /** -1: it turned out to be none. */
    final int query;
    /** As {@link #query}, but never 0: what the compiler takes for a constant. */
    @Stable private final int kept;
    /** From index 1 on, the hits to stop at. */
    private final long[] armed;
    /** Its hits are tested: of how many the condition was true or unknown. */
    private long asked;
    /** Of those, how many had not the caller that is asked for. */
    private long strangers;
    /** No tested hit of this thread is asked for. */
    final boolean isOther;

    /** Beside the number of a query: its hits in the thread are not asked for. */
    static final long OTHER_THREAD = 1L << 32;

    @Hidden
    private QuerypointProbeSite(QuerypointProbeThread probe, int site, int number, long[] about) {
        this.probe = probe;
        this.site = site;
        this.number = number;
        this.record = number;
        this.isOther = about[0] >= 0 && (about[0] & OTHER_THREAD) != 0;
        this.query = (int) about[0];
        this.kept = query < 0 ? -1 : 1;
        this.armed = about;
        next(0);
    }

    /** What is told of a hit with another caller than the one that is asked for. */
    private static final int STRANGER = 3;

    /** Whether it is one, and its last hits may be kept. */
    @Hidden
    @ForceInline
    boolean isKept() {
        return kept > 0;
    }

    /** The site of a number in the thread that was the first there. */
    @Hidden
    @ForceInline
    static QuerypointProbeSite first(int number) {
        return number < SITES.length ? SITES[number] : null;
    }

    /** The site of a number in this thread; null where nothing counts. */
    @Hidden
    @ForceInline
    static QuerypointProbeSite here(Thread thread, int number) {
        QuerypointProbeSite site = first(number);
        return site != null && site.thread == thread ? site : QuerypointProbeThread.site(thread, number);
    }

    /** Null where there are too many. */
    @Hidden
    static QuerypointProbeSite make(Thread thread, QuerypointProbeThread probe, int number) {
        if (made > NUMBERS) {
            QuerypointProbeAgent.lose(QuerypointProbeAgent.SITES);
            return null;
        }
        long[] about = QuerypointProbeAgent.about(number, probe.tid, probe.name);
        if (made == all.length) {
            QuerypointProbeSite[] wider = new QuerypointProbeSite[made * 2];
            for (int i = 0; i < made; i++) {
                wider[i] = all[i];
            }
            all = wider;
        }
        QuerypointProbeSite site = new QuerypointProbeSite(probe, number, made, about);
        all[made++] = site;
        if (number < SITES.length && SITES[number] == null) {
            site.thread = thread;
            U.storeFence();
            SITES[number] = site;
        }
        return site;
    }

    /** The place of a record's hit: "site ordinal thread", with {@link QuerypointProbeThread#told}. */
    @Hidden
    static String told(long record) {
        QuerypointProbeSite site = all[(int) record & NUMBERS];
        return QuerypointProbeAgent.joined(site.site, record / HIT).concat(" ").concat(site.probe.told());
    }

    /**
     * Adds the hits in all threads to those by the agent's numbers. Behind them follow those in threads that
     * are not asked for, those whose condition was true or unknown, and those of these with another caller.
     */
    @Hidden
    static void count(long[] hits, int sites) {
        for (int i = 1; i < made; i++) {
            QuerypointProbeSite site = all[i];
            if (site != null && site.query >= 0 && site.site < sites) {
                hits[(site.isOther ? sites : 0) + site.site] += site.record / HIT;
                hits[2 * sites + site.site] += site.asked - site.strangers;
                hits[3 * sites + site.site] += site.strangers;
            }
        }
    }

    /** Those that are offered to a thread are offered to it still, or to none. */
    @Hidden
    static void offer(QuerypointProbeThread probe, Thread to) {
        for (QuerypointProbeSite site : SITES) {
            if (site != null && site.probe == probe) {
                site.thread = to;
            }
        }
    }

    /** The next hit after the n-th that stops. */
    @Hidden
    private void next(long n) {
        long next = NEVER;
        if (query >= 0 && QuerypointProbe.QUERIES[query].varied != null) {
            // Each hit is numbered.
            next = 0;
        } else if (query >= 0 && QuerypointProbe.QUERIES[query].left > 0) {
            next = n + 1;
        } else {
            for (int i = armed.length - 1; i > 0 && armed[i] > n; i--) {
                next = armed[i];
            }
        }
        stop = next == NEVER ? NEVER : next * HIT;
    }

    /**
     * A hit was tested: 0 if it is not asked for, 1 if it is, 2 if that is unknown. Of those that are not,
     * some stop too: at each power of two the debugger can tell how the values change. A stop tells how many
     * were not asked for, how many that were have not stopped, and how many had another caller.
     */
    @Hidden
    void tested(long record, int result, boolean hasValue, Object owner, long bits, Object value) {
        if (query < 0) {
            return;
        }
        if (QuerypointProbe.COUNTING) {
            asked += result != 0 && !isOther ? 1 : 0;
            return;
        }
        if (probe.isQuiet()) {
            return;
        }
        long n = record / HIT;
        QuerypointProbeQuery of = QuerypointProbe.QUERIES[query];
        int told = 0;
        if (result != 0 && !isOther) {
            told = result;
            asked++;
            stop += HIT;
            if (of.from && !QuerypointProbeAgent.isCalled(query)) {
                strangers++;
                told = STRANGER;
                if ((strangers & (strangers - 1)) != 0) {
                    return;
                }
            } else if (of.isOther(result)) {
                return;
            }
        } else {
            long missed = n - asked;
            if ((missed & (missed - 1)) != 0) {
                return;
            }
            stop = record + missed * HIT;
        }
        long[] counts = {n - asked, of.passed(), strangers};
        QuerypointProbe.halt(site, n, owner, told, bits, hasValue ? new Object[] {value, counts} : counts);
    }

    /** A log point was hit, and its condition is true: the text of its line. */
    @Hidden
    void logged(String text) {
        if (query < 0 || probe.isQuiet()) {
            return;
        }
        stop += HIT;
        if (isOther) {
            return;
        }
        asked++;
        QuerypointProbeQuery of = QuerypointProbe.QUERIES[query];
        if (of.from && !QuerypointProbeAgent.isCalled(query)) {
            strangers++;
        } else if (of.takesLine()) {
            QuerypointProbeAgent.line(probe.told(), text);
        }
    }

    /** A hit that may be one to stop at. */
    @Hidden
    void pass(long record, Object owner, int index, long bits, Object value) {
        pass(record, owner, index, bits, value, null);
    }

    /** As above; where a call has written already, what it was given tells the value before. */
    @Hidden
    void pass(long record, Object owner, int index, long bits, Object value, QuerypointProbeGiven given) {
        QuerypointProbeQuery of = query < 0 ? null : QuerypointProbe.QUERIES[query];
        if (probe.isQuiet() || of != null && of.skips(index)) {
            return;
        }
        long n = record / HIT;
        if (of != null && of.varied != null) {
            if (of.varied.hit(record, owner, index, bits, value)) {
                QuerypointProbe.halt(site, n, owner, index, bits, given == null ? value : given.told(value));
            }
            return;
        }
        boolean stops = false;
        for (int i = 1; i < armed.length && !stops; i++) {
            stops = armed[i] == n;
        }
        if (of != null && of.left > 0) {
            // Hits of different threads may come at once: one more or less of the first does not matter.
            of.left--;
            stops = true;
        }
        next(n);
        if (stops) {
            if (of != null) {
                of.wake(record);
            }
            QuerypointProbe.halt(site, n, owner, index, bits, given == null ? value : given.told(value));
        }
    }
}
