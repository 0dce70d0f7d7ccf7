package java.lang;

/**
 * What rewritten classes call in the tests of the rewriter. It counts, so that its calls can be seen to
 * happen.
 */
public class QpProbe {
    public static int entered;
    public static int left;
    public static int unwound;
    public static int put;
    public static int branched;
    public static int stored;
    public static int guarded;
    public static int calls;
    public static int failAt;

    public static void enter(int id) {
        entered++;
    }

    public static void leave(int id) {
        left++;
    }

    public static void unwind(int id) {
        unwound++;
    }

    public static void guard(int id) {
        guarded++;
    }

    /** As where there is no stack left. */
    public static void fail(int id) {
        if (++calls == failAt) {
            throw new StackOverflowError();
        }
    }

    public static void branch(int id) {
        branched++;
    }

    public static void put(int id) {
        put++;
    }

    public static void put(Object owner, int value, int id) {
        put++;
    }

    public static void put(Object owner, long value, int id) {
        put++;
    }

    public static void put(Object owner, float value, int id) {
        put++;
    }

    public static void put(Object owner, double value, int id) {
        put++;
    }

    public static void put(Object owner, Object value, int id) {
        put++;
    }

    public static void store(Object array, int index, int value, int id) {
        stored++;
    }

    public static void store(Object array, int index, long value, int id) {
        stored++;
    }

    public static void store(Object array, int index, float value, int id) {
        stored++;
    }

    public static void store(Object array, int index, double value, int id) {
        stored++;
    }

    public static void store(Object array, int index, Object value, int id) {
        stored++;
    }
}
