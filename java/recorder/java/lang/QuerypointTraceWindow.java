package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What recorded methods ask as they are entered, where only some calls are recorded. A thread's calls are
 * counted: by that number the same call is found again in another run.
 */
public final class QuerypointTraceWindow {
    /** It is recorded from a place on, or up to one. */
    static final boolean POINTED = QuerypointTraceAgent.places();
    private static final Object PLACES = new Object();
    /**
     * How often the place is still to be reached where the recording begins, and where it ends; 0: no more.
     */
    private static volatile int from = QuerypointTraceAgent.hits(false);
    private static volatile int to = QuerypointTraceAgent.hits(true);

    /** The thread that was asked about last. */
    private static QuerypointTraceThread recent;

    @Hidden
    private QuerypointTraceWindow() {
    }

    @Hidden
    private static QuerypointTraceThread own() {
        Thread thread = Thread.currentThread();
        QuerypointTraceThread own = recent;
        if (own == null || own.thread != thread) {
            own = QuerypointTraceThread.of(thread);
            recent = own;
        }
        return own;
    }

    /** A call begins, by the site of its entry: the ring of this thread, where it is recorded; else 0. */
    @Hidden
    public static long ring(int site) {
        QuerypointTraceThread own = own();
        if (POINTED) {
            return own == null ? 0 : pointed(own, site);
        }
        if (own == null || own.window == null) {
            return 0;
        }
        long call = own.calls++;
        return isInside(own.window, call) || isAround(own.window, call) ? QuerypointTrace.ring() : 0;
    }

    @Hidden
    private static long pointed(QuerypointTraceThread own, int site) {
        boolean on = QuerypointTrace.on && own.ring != 0;
        // This call is told by its own entry, those around it before.
        long ring = on ? QuerypointTrace.ring() : 0;
        own.enter(site);
        if (on) {
            own.told = own.depth;
        }
        return ring;
    }

    /** The ring for the events of the call that has just begun, where its entry has this one. */
    @Hidden
    public static long kept(long ring) {
        if (!POINTED) {
            return ring;
        }
        QuerypointTraceThread own = own();
        return own == null ? 0 : own.ring;
    }

    /** The same, for what it does besides. */
    @Hidden
    public static long more() {
        return POINTED ? kept(0) : detail();
    }

    /** The call ends. */
    @Hidden
    public static void exit() {
        if (POINTED) {
            QuerypointTraceThread own = own();
            if (own != null) {
                own.leave();
            }
        }
    }

    /** Whether the recording is still to begin at a place. */
    @Hidden
    static boolean isWaiting() {
        return POINTED && from > 0;
    }

    /** The place is reached where the recording begins. */
    @Hidden
    public static void from() {
        if (from > 0) {
            synchronized (PLACES) {
                if (from > 0 && --from == 0) {
                    QuerypointTraceAgent.reached(false);
                    QuerypointTrace.on = true;
                }
            }
        }
    }

    /** The place is reached where it ends. */
    @Hidden
    public static void to() {
        if (to > 0 && QuerypointTrace.on) {
            synchronized (PLACES) {
                if (to > 0 && QuerypointTrace.on && --to == 0) {
                    QuerypointTrace.on = false;
                    QuerypointTraceAgent.reached(true);
                }
            }
        }
    }

    /** The ring of this thread, where what the call that has just begun does is recorded too; else 0. */
    @Hidden
    public static long detail() {
        QuerypointTraceThread own = own();
        if (POINTED) {
            return own != null && QuerypointTrace.on ? own.ring : 0;
        }
        return own != null && own.window != null && isInside(own.window, own.calls - 1) ? own.ring : 0;
    }

    @Hidden
    private static boolean isInside(long[] window, long call) {
        return call >= window[0] && call < window[1];
    }

    @Hidden
    private static boolean isAround(long[] window, long call) {
        for (int i = 2; i < window.length; i++) {
            if (window[i] == call) {
                return true;
            }
        }
        return false;
    }
}
