package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The numbers of objects: a VM that gives identity hash codes in turn numbers them so. Read where the VM keeps it, a number costs a
 * few instructions, and no call where there is one.
 */
final class QuerypointProbeNumber {
    private static final Unsafe U = Unsafe.getUnsafe();

    /** Whether the VM gives them in turn, and has the number of an object that nobody has locked where it is looked for. */
    static final boolean IN_TURN;
    /** How far up it is in the word that an object begins with. */
    private static final int SHIFT;

    static {
        Object[] made = {new Object(), new Object(), new Object()};
        int first = System.identityHashCode(made[0]);
        int shift = 0;
        // It is 8; where the word has the class of the object too, 11.
        for (int i = 8; i < 16 && shift == 0; i++) {
            shift = number(made[0], i) == first ? i : 0;
        }
        boolean inTurn = shift > 0;
        for (int i = 1; i < made.length; i++) {
            inTurn &= number(made[i], shift) == 0 && System.identityHashCode(made[i]) == first + i;
            inTurn &= number(made[i], shift) == first + i;
        }
        SHIFT = shift;
        IN_TURN = inTurn;
    }

    @Hidden
    private QuerypointProbeNumber() {
    }

    /** The number of an object that has one; 0 where it has none, is locked, or the VM does not give them in turn. */
    @Hidden
    @ForceInline
    static int of(Object object) {
        return IN_TURN ? number(object, SHIFT) : 0;
    }

    /** The number of an object, which has one if it is locked; 0 where it has none. */
    @Hidden
    @ForceInline
    static int known(Object object) {
        if (IN_TURN) {
            long word = U.getLong(object, 0L);
            if ((word & 7) == 1) {
                return (int) (word >>> SHIFT) & Integer.MAX_VALUE;
            }
        }
        return System.identityHashCode(object);
    }

    @Hidden
    @ForceInline
    private static int number(Object object, int shift) {
        long word = U.getLong(object, 0L);
        return (word & 7) == 1 ? (int) (word >>> shift) & Integer.MAX_VALUE : 0;
    }
}
