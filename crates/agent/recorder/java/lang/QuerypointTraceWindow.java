package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What recorded methods ask as they are entered, where only some calls are recorded. A thread's calls are counted: by that number
 * the same call is found again in another run.
 */
public final class QuerypointTraceWindow {
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

    /** A call begins: the ring of this thread, where it is recorded; else 0. */
    @Hidden
    public static long ring() {
        QuerypointTraceThread own = own();
        if (own == null || own.window == null) {
            return 0;
        }
        long call = own.calls++;
        return isInside(own.window, call) || isAround(own.window, call) ? QuerypointTrace.ring() : 0;
    }

    /** The ring of this thread, where what the call that has just begun does is recorded too; else 0. */
    @Hidden
    public static long detail() {
        QuerypointTraceThread own = own();
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
