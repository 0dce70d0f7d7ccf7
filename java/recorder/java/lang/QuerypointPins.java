package java.lang;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a pinned run reads in place of what differs from run to run. Methods of the JDK pass their values
 * through this class.
 */
public final class QuerypointPins {
    /** The golden ratio, by which {@link java.util.SplittableRandom} steps. */
    private static final long STEP = 0x9E3779B97F4A7C15L;

    /** The seed of the run. The agent sets it. */
    private static long seed;
    /** The process id of this VM, and the one that the program reads. The agent sets them. */
    private static long ownPid = -1;
    private static long pid;

    /** Number of generators that have got a seed. */
    private static final AtomicLong SEEDED = new AtomicLong();
    /** Number of bytes that were asked of secure generators. */
    private static final AtomicLong SECURE = new AtomicLong();

    /** Identity hash codes of a program begin behind a multiple of this. */
    private static final int CODES = 4096;

    static {
        // Threads of the VM take some of the hash codes at its start, one more or less in each run.
        for (int taken = 0; taken < 2 * CODES; taken++) {
            if (System.identityHashCode(new Object()) % CODES == 0) {
                break;
            }
        }
    }

    private QuerypointPins() {
    }

    /** Initialises the class. */
    static long ready() {
        return seed;
    }

    /** The seed of a new {@link java.util.Random}. */
    public static long seed(long unpinned) {
        return mixed(seed + STEP * SEEDED.incrementAndGet());
    }

    /** Fills what a secure generator has filled. */
    public static void fill(byte[] bytes) {
        long from = SECURE.getAndAdd(bytes.length);
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) mixed(seed ^ STEP * (from + at + 1));
        }
    }

    /** Fills the seed that a secure generator has made. */
    public static byte[] filled(byte[] bytes) {
        fill(bytes);
        return bytes;
    }

    /** The names of the files in a folder: in their order with seed 1, else in one that the seed gives. */
    public static String[] sorted(String[] names) {
        if (names != null) {
            Arrays.sort(names);
            for (int at = seed == 1 ? 0 : names.length - 1; at > 0; at--) {
                int other = (int) Long.remainderUnsigned(mixed(seed + STEP * at), at + 1);
                String name = names[at];
                names[at] = names[other];
                names[other] = name;
            }
        }
        return names;
    }

    /** The process id that the program reads. */
    public static long pid(long of) {
        return of == ownPid ? pid : of;
    }


    /** Spreads the bits of a number (Steele, Lea and Flood 2014). */
    private static long mixed(long number) {
        number = (number ^ number >>> 30) * 0xBF58476D1CE4E5B9L;
        number = (number ^ number >>> 27) * 0x94D049BB133111EBL;
        return number ^ number >>> 31;
    }
}
