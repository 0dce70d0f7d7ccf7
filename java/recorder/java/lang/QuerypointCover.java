package java.lang;

import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * Notes which edges of control flow a run covers, and nothing else. Each edge is noted once: later hits only
 * read its byte.
 *
 * <p>What runs tests sets {@link #begin} and {@link #end} around each of them. Without that, the run is told
 * as a whole when the VM ends.
 */
public final class QuerypointCover {
    /** By number of the edge: 1 if it was covered. */
    private static final byte[] COVERED = new byte[Math.toIntExact(room())];

    /** A call of this class was refused for want of stack: its edge was not noted. */
    public static boolean cut;

    /** Whether tests are told one by one. */
    private static boolean marked;

    @Hidden
    private QuerypointCover() {
    }

    /** The number of edges that there is room for. */
    private static native long room();

    /** The number of edges known so far. */
    private static native int known();

    /** Tells the first so many edges of a test, or with null of the whole run. */
    private static native void tell(String test, boolean passed, byte[] covered, int edges);

    /** An edge is taken. */
    @Hidden
    @ForceInline
    public static void hit(int edge) {
        if (COVERED[edge] == 0) {
            COVERED[edge] = 1;
        }
    }

    /** A test begins: what was covered before is not of it. */
    @Hidden
    public static synchronized void begin() {
        marked = true;
        int edges = known();
        for (int at = 0; at < edges; at++) {
            COVERED[at] = 0;
        }
    }

    /** A test ends. */
    @Hidden
    public static synchronized void end(String test, boolean passed) {
        tell(test, passed, COVERED, known());
    }

    /** The VM ends. */
    @Hidden
    private static synchronized void close() {
        if (!marked) {
            tell(null, true, COVERED, known());
        }
    }
}
