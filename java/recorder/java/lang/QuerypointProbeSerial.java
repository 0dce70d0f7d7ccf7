package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/** Numbers the activations of methods, in each thread by itself. */
final class QuerypointProbeSerial {
    /** Those of the thread that came first, whose number is at a known address. */
    private static final QuerypointProbeSerial FIRST = new QuerypointProbeSerial();

    private Thread thread;
    private long last;

    @Hidden
    private QuerypointProbeSerial() {
    }

    @Hidden
    @ForceInline
    static long next(Thread thread) {
        return FIRST.thread == thread ? ++FIRST.last : other(thread);
    }

    @Hidden
    private static long other(Thread thread) {
        if (FIRST.thread == null) {
            synchronized (QuerypointProbeThread.LOCK) {
                if (FIRST.thread == null) {
                    FIRST.thread = thread;
                    return ++FIRST.last;
                }
            }
        }
        QuerypointProbeThread known = QuerypointProbeThread.of(thread);
        return known == null ? 0 : ++known.serial;
    }
}
