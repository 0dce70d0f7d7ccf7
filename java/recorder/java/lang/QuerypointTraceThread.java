package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/** A thread that is recorded, and its ring. */
final class QuerypointTraceThread {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final long TID = U.objectFieldOffset(Thread.class, "tid");
    private static final QuerypointTraceGate LOCK = new QuerypointTraceGate();
    /** Held by who takes the turn to record. */
    static final QuerypointTraceGate TURN = new QuerypointTraceGate();

    /** Only some calls are recorded. */
    private static final boolean WINDOWED = QuerypointTraceAgent.windowed();

    /** By the lower bits of the thread's number; further ones behind {@link #chained}. */
    private static QuerypointTraceThread[] table = new QuerypointTraceThread[1 << 13];

    /** Null when it has ended. */
    Thread thread;
    private final long tid;
    /** Where the control words of its ring are; 0 where it has none. */
    final long ring;
    private QuerypointTraceThread chained;
    /** Where only some calls are recorded: which ones; null for none of this thread. */
    final long[] window;
    /** Its executions of the jump that is steered are counted. */
    boolean steers;
    /** How many calls of recorded methods there were, where that is asked. */
    long calls;
    /** The number of the exception by which it ends; 0 for none. */
    int uncaught;
    /**
     * Where recording begins or ends at a place: the entries of the calls that it is in, and how many of them
     * were told of.
     */
    int[] stack;
    int depth;
    int told;
    /** The node that an iterator of a map has come to last, and that map. */
    Object node;
    Object map;
    /** The builders and streams whose methods this thread is in, which record what those do. */
    private Object[] printing;
    private int printed;

    @Hidden
    QuerypointTraceThread(Thread thread, long tid, long ring, long[] window) {
        this.window = window;
        this.thread = thread;
        this.tid = tid;
        this.ring = ring;
    }

    /** A call begins, by the site of its entry. */
    @Hidden
    void enter(int site) {
        if (stack == null || depth == stack.length) {
            int[] wider = new int[stack == null ? 64 : 2 * depth];
            for (int i = 0; i < depth; i++) {
                wider[i] = stack[i];
            }
            stack = wider;
        }
        stack[depth++] = site;
    }

    /** A call ends. */
    @Hidden
    void leave() {
        if (depth > 0) {
            depth--;
            if (told > depth) {
                told = depth;
            }
        }
    }

    /** A method of a builder or stream begins: false where it is one of its own methods that calls it. */
    @Hidden
    boolean prints(Object self) {
        for (int i = 0; i < printed; i++) {
            if (printing[i] == self) {
                return false;
            }
        }
        if (printing == null || printed == printing.length) {
            Object[] wider = new Object[printing == null ? 8 : 2 * printed];
            for (int i = 0; i < printed; i++) {
                wider[i] = printing[i];
            }
            printing = wider;
        }
        printing[printed++] = self;
        return true;
    }

    @Hidden
    boolean isPrinting() {
        return printed > 0;
    }

    /** The method ends, and with it those that began in it. */
    @Hidden
    void printed(Object self) {
        for (int i = printed - 1; i >= 0; i--) {
            if (printing[i] == self) {
                while (printed > i) {
                    printing[--printed] = null;
                }
            }
        }
    }

    /** Null where it has recorded nothing. */
    @Hidden
    static QuerypointTraceThread known(Thread thread) {
        return find(U.getLong(thread, TID));
    }

    /** Null where there is no memory left. */
    @Hidden
    static QuerypointTraceThread of(Thread thread) {
        long tid = U.getLong(thread, TID);
        QuerypointTraceThread known = find(tid);
        if (known != null) {
            return known;
        }
        try {
            return begin(thread, tid);
        } catch (Throwable e) {
            QuerypointTraceAgent.lose(QuerypointTraceAgent.THREAD);
            return null;
        }
    }

    @Hidden
    private static QuerypointTraceThread find(long tid) {
        QuerypointTraceThread known = table[(int) tid & (table.length - 1)];
        while (known != null && known.tid != tid) {
            known = known.chained;
        }
        return known;
    }

    @Hidden
    static long tid(Thread thread) {
        return U.getLong(thread, TID);
    }

    @Hidden
    private static QuerypointTraceThread begin(Thread thread, long tid) {
        LOCK.enter();
        try {
            synchronized (LOCK) {
                long ring = 0;
                boolean some = WINDOWED && !QuerypointTraceWindow.POINTED;
                long[] window = some ? QuerypointTraceAgent.window(thread.getName(), tid) : null;
                if (some && window == null) {
                    // No call of it is recorded.
                } else {
                    ThreadGroup group = thread.getThreadGroup();
                    String of = group == null ? null : group.getName();
                    int object = QuerypointProbeNumber.give(thread);
                    boolean isVirtual = QuerypointProbeNumber.isVirtual(thread);
                    ring = QuerypointTraceAgent.ring(thread.getName(), tid, isVirtual, of, object);
                }
                QuerypointTraceThread made = new QuerypointTraceThread(thread, tid, ring, window);
                made.steers = QuerypointTraceSteering.isNamed(thread, tid);
                int at = (int) tid & (table.length - 1);
                made.chained = table[at];
                U.storeFence();
                table[at] = made;
                return made;
            }
        } finally {
            LOCK.leave();
        }
    }

    /**
     * A thread has ended; called by the agent, and by virtual threads. What it has recorded can be taken out.
     */
    @Hidden
    static void end(Thread thread) {
        long tid = U.getLong(thread, TID);
        QuerypointTraceThread own = find(tid);
        if (own != null && own.ring != 0 && thread == Thread.currentThread()) {
            QuerypointTrace.end(own);
        }
        QuerypointTrace.left(own);
        LOCK.enter();
        try {
            synchronized (LOCK) {
                int at = (int) tid & (table.length - 1);
                QuerypointTraceThread before = null;
                QuerypointTraceThread known = table[at];
                while (known != null && known.tid != tid) {
                    before = known;
                    known = known.chained;
                }
                if (known == null) {
                    return;
                }
                if (before == null) {
                    table[at] = known.chained;
                } else {
                    before.chained = known.chained;
                }
                known.thread = null;
                known.node = null;
                known.map = null;
                if (known.ring != 0) {
                    U.putLongRelease(null, known.ring + QuerypointTrace.ENDED, 1);
                    QuerypointTraceAgent.ended(known.ring);
                }
            }
        } finally {
            LOCK.leave();
        }
    }
}
