/** Counts the calls of the program that contains it, and ends an endless one. */
final class Calls {
    private static final int MANY = 2_000;
    private static int calls;
    private static int turns;

    static void enter() {
        if (calls == 0) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.println("calls " + calls)));
        }
        if (++calls > MANY) {
            Runtime.getRuntime().halt(3);
        }
    }

    static void turn() {
        if (++turns > 10 * MANY) {
            Runtime.getRuntime().halt(3);
        }
    }
}
