package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * Recorded methods first call {@code enter}: it writes that event and returns the thread's ring.
 * Lists of up to three arguments that are objects or fit an {@code int} have an overload;
 * methods with others ask for their {@link QuerypointTrace#ring}. So each entry is one call, for
 * calls are slow until the second compiler has compiled them. The overloads share no code, for
 * the reason that {@link QuerypointTrace} gives. Do not edit them here:
 * {@code java/build.sh} writes this file, by {@code java/trace_calls.awk}.
 */
public final class QuerypointTraceCalls {
    private static final Unsafe U = Unsafe.getUnsafe();

    @Hidden
    private QuerypointTraceCalls() {
    }

    @Hidden
    public static long enter(int site) {
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        QuerypointTrace.advance(ring, written, 4);
        return ring;
    }

    @Hidden
    public static long enter(Object first, int site) {
        int firstNumber = QuerypointTrace.number(first);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        QuerypointTrace.advance(ring, written, 8);
        return ring;
    }

    @Hidden
    public static long enter(int first, int site) {
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        QuerypointTrace.advance(ring, written, 8);
        return ring;
    }

    @Hidden
    public static long enter(Object first, Object second, int site) {
        int firstNumber = QuerypointTrace.number(first);
        int secondNumber = QuerypointTrace.number(second);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, secondNumber);
        QuerypointTrace.advance(ring, written, 12);
        return ring;
    }

    @Hidden
    public static long enter(Object first, int second, int site) {
        int firstNumber = QuerypointTrace.number(first);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, second);
        QuerypointTrace.advance(ring, written, 12);
        return ring;
    }

    @Hidden
    public static long enter(int first, Object second, int site) {
        int secondNumber = QuerypointTrace.number(second);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, secondNumber);
        QuerypointTrace.advance(ring, written, 12);
        return ring;
    }

    @Hidden
    public static long enter(int first, int second, int site) {
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, second);
        QuerypointTrace.advance(ring, written, 12);
        return ring;
    }

    @Hidden
    public static long enter(Object first, Object second, Object third, int site) {
        int firstNumber = QuerypointTrace.number(first);
        int secondNumber = QuerypointTrace.number(second);
        int thirdNumber = QuerypointTrace.number(third);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, secondNumber);
        U.putInt(null, at + 12, thirdNumber);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(Object first, Object second, int third, int site) {
        int firstNumber = QuerypointTrace.number(first);
        int secondNumber = QuerypointTrace.number(second);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, secondNumber);
        U.putInt(null, at + 12, third);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(Object first, int second, Object third, int site) {
        int firstNumber = QuerypointTrace.number(first);
        int thirdNumber = QuerypointTrace.number(third);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, second);
        U.putInt(null, at + 12, thirdNumber);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(Object first, int second, int third, int site) {
        int firstNumber = QuerypointTrace.number(first);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, firstNumber);
        U.putInt(null, at + 8, second);
        U.putInt(null, at + 12, third);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(int first, Object second, Object third, int site) {
        int secondNumber = QuerypointTrace.number(second);
        int thirdNumber = QuerypointTrace.number(third);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, secondNumber);
        U.putInt(null, at + 12, thirdNumber);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(int first, Object second, int third, int site) {
        int secondNumber = QuerypointTrace.number(second);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, secondNumber);
        U.putInt(null, at + 12, third);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(int first, int second, Object third, int site) {
        int thirdNumber = QuerypointTrace.number(third);
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, second);
        U.putInt(null, at + 12, thirdNumber);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }

    @Hidden
    public static long enter(int first, int second, int third, int site) {
        QuerypointTraceThread known = QuerypointTrace.current;
        long ring = known.ring;
        long written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        if (known.thread != Thread.currentThread() || written > U.getLong(null, ring + QuerypointTrace.LIMIT)) {
            ring = QuerypointTrace.arrive();
            written = U.getLong(null, ring + QuerypointTrace.WRITTEN);
        }
        long at = ring + QuerypointTrace.DATA + (written & U.getLong(null, ring + QuerypointTrace.MASK));
        U.putInt(null, at, site);
        U.putInt(null, at + 4, first);
        U.putInt(null, at + 8, second);
        U.putInt(null, at + 12, third);
        QuerypointTrace.advance(ring, written, 16);
        return ring;
    }
}
