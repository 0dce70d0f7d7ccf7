package java.lang;

import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

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
    private QuerypointProbeSite awaited;
    private long at;
    /** The hash code of its owner, once that is known. */
    private int only;
    private boolean named;
    /** That owner's last hit. */
    private long record;

    private final int number;
    /** The index of the elements that are asked for; -1: any. */
    private final int index;
    /** Where the last kept hit was, which is in no row yet. */
    QuerypointProbeSite current;
    /** The thread of the last kept hit. */
    private QuerypointProbeThread holder;
    /** How often that was another one before: orders what different threads keep. */
    private int turn;
    /** Where the hits of one site follow each other, each of another owner; then there is no current site. */
    private QuerypointProbeKept streak;

    @Hidden
    QuerypointProbeQuery(int number, int budget, int index) {
        this.number = number;
        this.index = index;
        this.left = budget < 0 ? 0 : budget;
        this.dormant = budget < 0;
        this.known = budget < 0;
        this.narrow = budget == -2;
    }

    /** Whether an element is not asked for. */
    @Hidden
    @ForceInline
    boolean skips(int index) {
        return this.index >= 0 && this.index != index;
    }

    /** The hit that is asked for has come: from here on hits are kept. */
    @Hidden
    void wake(QuerypointProbeSite site, long n) {
        if (dormant) {
            awaited = site;
            at = n;
            dormant = false;
        }
    }

    /** Keeps a hit if it is of the owner that is expected. */
    @Hidden
    private void keepOnly(QuerypointProbeSite site, long n, int hash) {
        if (!named && site == awaited && n == at) {
            only = hash;
            named = true;
        }
        if (named && hash == only) {
            record = n << 20 | site.number;
        }
    }

    /** The n-th hit of a site is the last one of the owners with this hash code. */
    @Hidden
    @DontInline
    void keep(Thread thread, QuerypointProbeSite site, long n, int hash) {
        if (narrow) {
            keepOnly(site, n, hash);
            return;
        }
        QuerypointProbeKept streak = this.streak;
        if (streak != null && site.streak == streak && site.thread == thread) {
            streak.follow(n, hash);
        } else if (current != site || site.hash != hash) {
            change(thread, site, n, hash);
        }
        site.last = n;
    }

    /** The last hit is now at this site, of another owner than the one before. */
    @Hidden
    private void change(Thread thread, QuerypointProbeSite site, long n, int hash) {
        if (site.query < 0) {
            return;
        }
        // Threads of one name share their sites, and keep what they keep each for itself.
        QuerypointProbeThread own = site.thread == thread ? site.probe : QuerypointProbeThread.of(thread);
        QuerypointProbeKept kept = own == null ? null : own.kept(number);
        if (kept == null) {
            return;
        }
        if (holder != own) {
            synchronized (QuerypointProbeThread.LOCK) {
                hold(own, kept, site, hash);
            }
            return;
        }
        if (streak != null) {
            streak.stop();
            streak = null;
        }
        QuerypointProbeSite before = current;
        if (before != null && before.hash != hash) {
            kept.keep(before.hash, turn, before.last << 20 | before.number);
        }
        // Hits that are passed over have numbers too.
        if (before == site && index < 0 && site.thread == thread && kept.starts(site, turn, n, hash)) {
            current = null;
            streak = kept;
        } else {
            site.hash = hash;
            current = site;
        }
    }

    /** The last hit of the thread before is kept by this one, and comes after all that the other has kept itself. */
    @Hidden
    private void hold(QuerypointProbeThread own, QuerypointProbeKept kept, QuerypointProbeSite site, int hash) {
        turn++;
        QuerypointProbeSite before = current;
        if (before != null) {
            kept.keep(before.hash, turn, before.last << 20 | before.number);
        }
        if (streak != null) {
            streak.stop();
            streak = null;
        }
        holder = own;
        site.hash = hash;
        current = site;
    }

    /** The last hit on an owner: "site ordinal thread"; "" for none; "? why" where that is not known. */
    @Hidden
    String last(int hash) {
        if (narrow && named && hash == only) {
            return QuerypointProbeSite.told(record);
        }
        if (dormant || narrow) {
            return "? the hit that was expected had not come";
        }
        long record = 0;
        int latest = -1;
        for (QuerypointProbeThread thread = QuerypointProbeThread.newest; thread != null; thread = thread.older) {
            QuerypointProbeKept own = thread.kept[number];
            if (own != null && own.find(hash) && own.latest > latest) {
                latest = own.latest;
                record = own.record;
            }
        }
        QuerypointProbeSite at = current;
        if (at != null && at.hash == hash && turn >= latest) {
            record = at.last << 20 | at.number;
        }
        return record == 0 ? "" : QuerypointProbeSite.told(record);
    }
}
