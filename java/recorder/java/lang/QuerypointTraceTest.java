package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * What recorded methods ask where only calls or writes with certain values are recorded: the ring of this
 * thread, if a value is the wanted one, else 0.
 */
public final class QuerypointTraceTest {
    @Hidden
    private QuerypointTraceTest() {
    }

    /** Compares an {@code int}, {@code short}, {@code byte} or {@code boolean}. */
    @Hidden
    @ForceInline
    public static long is(long ring, int value, int wanted) {
        return value == wanted ? ring : 0;
    }

    @Hidden
    @ForceInline
    public static long is(long ring, long value, long wanted) {
        return value == wanted ? ring : 0;
    }

    @Hidden
    @ForceInline
    public static long isNull(long ring, Object value) {
        return value == null ? ring : 0;
    }
}
