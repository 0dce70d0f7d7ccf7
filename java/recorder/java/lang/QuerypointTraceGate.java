package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * Stands before a monitor. Since Java 24 a virtual thread that waits for a monitor leaves its carrier, and
 * is given the monitor although it has none. If all carriers wait for that monitor, since the scheduler is
 * recorded too, none goes on. Who waits here keeps its carrier, and nobody waits for the monitor behind it.
 */
final class QuerypointTraceGate {
    private static final Unsafe U = Unsafe.getUnsafe();
    private static final boolean IS_NEEDED = Runtime.version().feature() >= 24;
    private static final long TAKEN = U.objectFieldOffset(QuerypointTraceGate.class, "taken");
    /** How often it is tried again before the processor is left to others. */
    private static final int TRIES = 100;

    private int taken;

    @Hidden
    QuerypointTraceGate() {
    }

    /** Waits until no other thread is inside. */
    @Hidden
    void enter() {
        for (int tries = 0; IS_NEEDED && !U.compareAndSetInt(this, TAKEN, 0, 1); tries++) {
            if (tries > TRIES) {
                QuerypointTraceAgent.pause();
            }
        }
    }

    @Hidden
    void leave() {
        if (IS_NEEDED) {
            U.putIntRelease(this, TAKEN, 0);
        }
    }
}
