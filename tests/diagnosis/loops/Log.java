import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs random programs, which log their calls and loops here. It is not recorded itself. */
public class Log {
    /** The log of a thread, and its state. */
    private static class Told {
        final StringBuilder text = new StringBuilder();
        long random;
        int calls;
        int left;
    }

    private static final ThreadLocal<Told> TOLD = ThreadLocal.withInitial(Told::new);
    private static final List<String> ALL = Collections.synchronizedList(new ArrayList<>());

    /** Arguments: a file for the log, and the classes. Two further threads run the first class too. */
    public static void main(String[] args) throws Exception {
        for (int at = 1; at < args.length; at++) {
            run(args[at], at);
        }
        Thread[] others = new Thread[2];
        for (int at = 0; at < others.length; at++) {
            int seed = 1000 + at;
            others[at] = new Thread(() -> run(args[1], seed), "other " + at);
            others[at].start();
        }
        for (Thread other : others) {
            other.join();
        }
        Files.writeString(Path.of(args[0]), String.join("", ALL));
    }

    private static void run(String name, int seed) {
        Told told = new Told();
        told.random = seed * 7919L + 17;
        told.left = 120;
        TOLD.set(told);
        try {
            Class.forName(name).getMethod("run", int.class).invoke(null, 0);
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
        ALL.add("program " + name + "\n" + told.text);
    }

    private static void tell(String what, int me, Object of) {
        TOLD.get().text.append(what).append(' ').append(me).append(' ').append(of).append('\n');
    }

    /** A call begins, made by another one. Returns its number. */
    public static int begin(String method, int by) {
        Told told = TOLD.get();
        told.calls++;
        told.left--;
        tell("begin " + by, told.calls, method);
        return told.calls;
    }

    /** An iteration of a loop begins. */
    public static boolean turn(int me, int loop) {
        tell("turn", me, loop);
        return true;
    }

    /** A loop begins. */
    public static void enter(int me, int loop) {
        tell("enter", me, loop);
    }

    /** The code after a loop. */
    public static void exit(int me, int loop) {
        tell("exit", me, loop);
    }

    /** Leaves the loops inside one. */
    public static void back(int me, int loop) {
        tell("back", me, loop);
    }

    /** The call returns. */
    public static void returns(int me) {
        tell("return", me, 0);
    }

    /** An exception was caught inside a loop; 0 for none. */
    public static void caught(int me, int loop) {
        tell("caught", me, loop);
    }

    public static void nothing() {
    }

    /** Whether there is still something to do. */
    public static boolean more() {
        return TOLD.get().left > 0;
    }

    public static boolean flip() {
        Told told = TOLD.get();
        told.random = told.random * 6364136223846793005L + 1442695040888963407L;
        return (told.random >>> 61) < 2;
    }
}
