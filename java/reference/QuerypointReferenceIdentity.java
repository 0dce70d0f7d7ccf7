import java.lang.reflect.Field;

/**
 * Repeats what depends on the identity of objects: their identity hash codes, and the order of the sets and
 * maps of {@code Set.of} and {@code Map.of}.
 */
final class QuerypointReferenceIdentity {
    /** The recorder numbers objects by their identity hash codes, with this bit turned. */
    private static final int NUMBERED = 1 << 30;
    /**
     * Where the code begins in the word that an object begins with; 0 where that is not known, -1 before it
     * is asked.
     */
    private static int shift = -1;

    private QuerypointReferenceIdentity() {
    }

    /**
     * Gives an object the identity hash code that it had in the other run: the order of hashed collections
     * depends on it.
     */
    static void repeat(sun.misc.Unsafe unsafe, Object object, int number) {
        if (shift < 0) {
            shift = shift(unsafe);
        }
        int hash = number ^ NUMBERED;
        if (shift == 0 || hash <= 0) {
            return;
        }
        long word = unsafe.getLong(object, 0L);
        boolean isUnlocked = (word & 7) == 1;
        if (isUnlocked && hash(word, shift) == 0) {
            unsafe.putLong(object, 0L, word | (long) hash << shift);
        }
    }

    private static int hash(long word, int shift) {
        return (int) (word >>> shift) & Integer.MAX_VALUE;
    }

    /** Finds where the VM keeps the codes, and tries whether it takes them from there. */
    private static int shift(sun.misc.Unsafe unsafe) {
        Object asked = new Object();
        int known = System.identityHashCode(asked);
        long word = unsafe.getLong(asked, 0L);
        for (int shift = 8; shift < 16; shift++) {
            Object given = new Object();
            long before = unsafe.getLong(given, 0L);
            boolean isThere = (word & 7) == 1 && (before & 7) == 1 && hash(word, shift) == known;
            if (isThere && hash(before, shift) == 0) {
                unsafe.putLong(given, 0L, before | (long) NUMBERED << shift);
                return System.identityHashCode(given) == NUMBERED ? shift : 0;
            }
        }
        return 0;
    }

    /** Each VM draws the order of immutable sets and maps: here it is always the same. */
    static void fixSalt(sun.misc.Unsafe unsafe) {
        try {
            Class<?> of = Class.forName("java.util.ImmutableCollections");
            fix(unsafe, of.getDeclaredField("SALT32L"));
            fix(unsafe, of.getDeclaredField("REVERSE"));
        } catch (ReflectiveOperationException | RuntimeException error) {
            // This JDK keeps it elsewhere. The program's own code then shows which calls depend on it.
        }
    }

    private static void fix(sun.misc.Unsafe unsafe, Field field) {
        Object base = unsafe.staticFieldBase(field);
        long at = unsafe.staticFieldOffset(field);
        if (field.getType() == long.class) {
            unsafe.putLong(base, at, 0x5eed_5eedL);
        } else if (field.getType() == boolean.class) {
            unsafe.putBoolean(base, at, false);
        }
    }
}
