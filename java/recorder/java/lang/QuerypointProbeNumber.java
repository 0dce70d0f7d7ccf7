package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.DontInline;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The numbers of objects: 1, 2, 3, … by their identity hash codes, which keep no object alive. Read where the
 * VM keeps it, a number costs a few instructions, and no call where there is one.
 *
 * <p>An object that has no hash code gets one from here, in the way in which the VM would do it. The VM's own
 * are given in turn too ({@code -XX:hashCode=3}), but threads that ask at once may get the same: so those
 * that the program has asked for are the ones below {@link #GIVEN}, and those from here are above. A number
 * is a hash code with that bit turned: so it is small where it is from here, and of one object only.
 */
final class QuerypointProbeNumber {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** The bit of hash codes that are from here. */
    private static final int GIVEN = 1 << 30;
    /** No object has this number. */
    static final int NONE = GIVEN;

    /** The last one that is given. */
    private static final int MOST = GIVEN - 1;

    /**
     * Whether the VM gives them in turn, and has the hash code of an object that nobody has locked where it
     * is looked for.
     */
    static final boolean IN_TURN;
    /** How far up it is in the word that an object begins with. */
    private static final int SHIFT;
    /**
     * Of that word, the hash code and whether the object is locked; and what that is where nobody has locked
     * it, for number 0.
     */
    private static final long MASK;
    private static final long OPEN;
    /** Where the last number is that was given. */
    private static final long LAST = U.allocateMemory(4);
    /**
     * Bits by number: those of objects that were met. The VM's archive has objects whose hash codes are not
     * given in turn: one that was met ahead of its turn is not given again. 0 where nobody notes that. */
    static long taken;

    static {
        U.putInt(null, LAST, 0);
        Object[] made = {new Object(), new Object(), new Object(), new Object()};
        int first = System.identityHashCode(made[0]);
        int shift = 0;
        // It is 8; where the word has the class of the object too, 11.
        for (int i = 8; i < 16 && shift == 0; i++) {
            shift = hash(made[0], i) == first ? i : 0;
        }
        boolean inTurn = shift > 0 && first < GIVEN;
        for (int i = 1; i < made.length - 1; i++) {
            inTurn &= hash(made[i], shift) == 0 && System.identityHashCode(made[i]) == first + i;
            inTurn &= hash(made[i], shift) == first + i;
        }
        Object own = made[made.length - 1];
        inTurn = inTurn && give(own, shift) == 1 && System.identityHashCode(own) == (GIVEN | 1);
        synchronized (own) {
            inTurn &= System.identityHashCode(own) == (GIVEN | 1);
        }
        SHIFT = shift;
        // Where the word has nothing else but how old the object is, the mask is short.
        MASK = shift == 8 ? ~0xf8L : (long) Integer.MAX_VALUE << shift | 7;
        OPEN = (long) GIVEN << shift | 1;
        IN_TURN = inTurn && row(own) == 1 && row(made[0]) == (first ^ GIVEN) && row(new Object()) == NONE;
    }

    @Hidden
    private QuerypointProbeNumber() {
    }

    /**
     * The number of an object that has one; {@link #NONE} where it has none, is locked, or the VM does not
     * give them in turn.
     */
    @Hidden
    @ForceInline
    static int of(Object object) {
        return IN_TURN ? hash(object, SHIFT) ^ GIVEN : NONE;
    }

    /**
     * The number of an object that has one and is not locked; otherwise more than any number. In as few
     * instructions as there are: so the processor has more of them under way while it waits for memory. */
    @Hidden
    @ForceInline
    static long row(Object object) {
        long word = U.getLong(object, 0L) & MASK ^ OPEN;
        return word >>> SHIFT | word << -SHIFT;
    }

    /** The number of an object, which has one if it is locked; {@link #NONE} where it has none. */
    @Hidden
    @ForceInline
    static int known(Object object) {
        if (IN_TURN) {
            long word = U.getLong(object, 0L);
            if ((word & 7) == 1) {
                return (int) (word >>> SHIFT) & Integer.MAX_VALUE ^ GIVEN;
            }
        }
        return System.identityHashCode(object) ^ GIVEN;
    }

    /** The number of an object, which gets one if it has none; 0 for no object. */
    @Hidden
    @DontInline
    static int give(Object object) {
        if (object == null) {
            return 0;
        }
        room();
        int number = IN_TURN ? give(object, SHIFT) : NONE;
        return number == NONE ? System.identityHashCode(object) ^ GIVEN : number;
    }

    /**
     * Where the stack is nearly full it overflows in here, and not in what the VM is asked: the program would
     * see that in its trace. An interpreted call takes so much of it; a compiled one nothing. */
    @Hidden
    private static long room() {
        long a0 = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0, a5 = 0, a6 = 0, a7 = 0, a8 = 0, a9 = 0, a10 = 0, a11 = 0;
        long b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0, b7 = 0, b8 = 0, b9 = 0, b10 = 0, b11 = 0;
        long c0 = 0, c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0, c6 = 0, c7 = 0, c8 = 0, c9 = 0, c10 = 0, c11 = 0;
        long d0 = 0, d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0, d6 = 0, d7 = 0, d8 = 0, d9 = 0, d10 = 0, d11 = 0;
        return a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + a10 + a11
                + b0 + b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8 + b9 + b10 + b11
                + c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9 + c10 + c11
                + d0 + d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8 + d9 + d10 + d11;
    }

    /** The same, of an object that nobody has locked; {@link #NONE} of others. */
    @Hidden
    @ForceInline
    private static int give(Object object, int shift) {
        long word = U.getLongVolatile(object, 0L);
        if ((word & 7) != 1) {
            return NONE;
        }
        int hash = (int) (word >>> shift) & Integer.MAX_VALUE;
        if (hash != 0) {
            return hash ^ GIVEN;
        }
        int number = next();
        return number != NONE && U.compareAndSetLong(object, 0L, word, word | (long) (number | GIVEN) << shift)
                ? number
                : NONE;
    }

    /** A number that was not given yet; {@link #NONE} where there are no more. */
    @Hidden
    @ForceInline
    private static int next() {
        for (int last = U.getInt(null, LAST); last < MOST; last = U.getIntVolatile(null, LAST)) {
            int number = last + 1;
            if (!U.compareAndSetInt(null, LAST, last, number)) {
                continue;
            }
            if (taken == 0 || (U.getByte(null, taken + (number >>> 3)) >>> (number & 7) & 1) == 0) {
                return number;
            }
        }
        return NONE;
    }

    /** The last number that was given. */
    @Hidden
    static int last() {
        return U.getInt(null, LAST);
    }

    @Hidden
    @ForceInline
    private static int hash(Object object, int shift) {
        long word = U.getLong(object, 0L);
        return (word & 7) == 1 ? (int) (word >>> shift) & Integer.MAX_VALUE : 0;
    }

    /** Of a thread without a name: whether it is virtual. */
    @Hidden
    static boolean isVirtual(Thread thread) {
        return thread.getName().isEmpty() && thread.getClass().getName().contains("VirtualThread");
    }
}
