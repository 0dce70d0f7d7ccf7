package java.lang;

import jdk.internal.vm.annotation.Hidden;

/**
 * What the recorder asks of the agent and tells it, and what it has lost: where there is no more stack or
 * heap for it, the program goes on.
 */
final class QuerypointProbeAgent {
    /** What was lost first: a number of {@link #lost()}, since a text may find no memory. */
    private static int lost;
    /** Why a collection could not be looked at. */
    private static Throwable unseen;
    /** Whether a hit was lost for want of stack and it is not told yet. */
    private static boolean untold;
    /** Given up when the heap is full, so that what is asked then can still be answered. */
    private static byte[] reserve = new byte[1 << 16];

    static final int UNASKED = 1;
    static final int THREAD = 2;
    static final int THREADS = 3;
    static final int SITE = 4;
    static final int KEPT = 5;
    static final int OWNERS = 6;
    static final int SITES = 7;
    static final int STACK = 8;
    static final int UNSEEN = 9;
    static final int ORDER = 10;
    static final int COLLECTIONS = 11;
    static final int LOG = 12;
    static final int LOG_MEMORY = 13;
    static final int VARIED = 14;
    static final int GIVEN = 15;

    @Hidden
    private QuerypointProbeAgent() {
    }

    /**
     * By query, how many of its first hits stop; -1: none is kept before one that is to stop, -2: before the
     * only one.
     */
    static native int[] budgets();

    /** By query, the index of the elements that are asked for; -1: any. */
    static native int[] indices();

    /** Whether hits are only counted. */
    static native boolean counting();

    /**
     * Of a query whose hits are numbered: from which number on they stop, and from which on no more, whether
     * values and stacks are kept, whether it asks for elements of arrays, and with which other query's stops
     * it stops; -1: with its own. Null of any other. */
    static native long[] varied(int query);

    /**
     * The stack of this thread, newest frame first: methods and indices in turn, and -1 at the end if some
     * frames are left out.
     */
    static native long[] stack();

    /** What the methods of a stack are, a line each: "method index class name descriptor". */
    static native String frames(long[] stack);

    /** How many sites there are so far. */
    static native int known();

    /** Writes memory into the file of the log; whether that was possible. */
    static native boolean write(long offset, long address, long length);

    /**
     * Marks the rows of owners that are in the heap no more; how many others there are, or -1 if most are, or
     * if that is not known. */
    static native int bury(int query, long rows, int capacity, int used);

    /**
     * Address space for the rows of a query, of which none may be used yet; 0 where there is none. The
     * objects of the program may have so many bytes. */
    static native long reserve(int query, long heap);

    /**
     * Makes more of those rows usable: how many are now. As many as before where there is no memory, or where
     * rows by number would waste it. */
    static native int widen(int query);

    /** Cells for an array: how many there are, and a word for each; 0 where there is no memory. */
    static native long cells(int query, int length);

    /** Writes to the report that a hit was lost for want of stack. */
    private static native void tell();

    /**
     * The query of a site, with {@link QuerypointProbeSite#OTHER_THREAD} if no hit in threads of a name is
     * asked for, and the hits that are to stop there in such threads, ascending. */
    static native long[] about(int site, long number, String thread);

    /**
     * The field of an object of a class that is found from one of its superclasses upwards; null if there is
     * none.
     */
    static native java.lang.reflect.Field field(Class<?> of, String from, String name, String descriptor);

    /**
     * The static field of a class that the code of another one names; null if it is not loaded, or is
     * unclear.
     */
    static native java.lang.reflect.Field staticField(
            Class<?> code, String declares, String name, String descriptor);

    /** The class that the code of another one names; null if it is not loaded, or is unclear. */
    static native Class<?> classOf(Class<?> code, String name);

    /**
     * Of a query: how many hits come before the only one that is asked for, or -1 if all are; whether it asks
     * for a caller; and for a log point, how many lines it writes at most, else -1. */
    static native long[] asked(int query);

    /** Whether the method that a query asks for is on this thread's stack, below the newest frame. */
    static native boolean isCalled(int query);

    /** Writes a line of a log point, with its thread as {@link QuerypointProbeThread#told} tells it. */
    static native void line(String thread, String text);

    /**
     * The field whose writes a query asks for, in the objects of a class; the static one that the code of a
     * class means. Null if there is none, or the class of the static field is not loaded. */
    static native java.lang.reflect.Field written(int query, Class<?> of);

    /** Whether a query asks for writes of a static field. */
    static native boolean isStatic(int query);

    /** What a query asks of a collection, and the class of that; null where it asks nothing of one. */
    static native String collection(int query);

    /** There is no memory, or what is asked may need some. */
    @Hidden
    static void yield() {
        reserve = null;
    }

    @Hidden
    static void lose(int why) {
        if (lost == 0) {
            lost = why;
        }
    }

    /** A call could not be looked at. */
    @Hidden
    static void lose(Throwable why) {
        lose(UNSEEN);
        unseen = why;
    }

    @Hidden
    static boolean hasLost() {
        return lost != 0;
    }

    /** A hit was refused for want of stack. */
    @Hidden
    static void cut() {
        lose(STACK);
        untold = true;
    }

    /** Tells what is not told yet, if there is stack for that. */
    @Hidden
    static void tellAll() {
        if (untold) {
            tellLoss();
        }
    }

    @Hidden
    static void tellLoss() {
        try {
            untold = true;
            tell();
            untold = false;
        } catch (VirtualMachineError e) {
            // The next hit that stops tells it.
        }
    }

    /** What was lost. */
    @Hidden
    static String lost() {
        switch (lost) {
            case UNASKED:
                return "the agent could not be asked";
            case THREAD:
                return "there was no memory or stack to count a thread's hits";
            case THREADS:
                return "there were more than 65536 threads";
            case SITE:
                return "there was no memory or stack to count the hits of a site";
            case KEPT:
                return "there was no memory or stack for what is kept";
            case OWNERS:
                return "there were more than 100 million objects";
            case STACK:
                return "there was no stack left to count a hit, or to stop at it";
            case UNSEEN:
                return "a collection could not be looked at"
                        .concat(unseen == null ? "" : ": ".concat(unseen.getClass().getName()));
            case ORDER:
                return "the calls of collections' methods ended in another order than they began";
            case COLLECTIONS:
                return "the collections of this VM are not made as they are elsewhere";
            case LOG:
                return "more than 33 million copies would have to be logged; ask from a point that comes earlier, or for the "
                        + "LastChange";
            case VARIED:
                return "there was no memory or stack to keep the last hits of a run that does not repeat";
            case GIVEN:
                return "there was no memory to keep what a call of the JDK might write";
            case LOG_MEMORY:
                return "there was no memory for the log of copies";
            default:
                return "there were more sites in threads than can be told apart";
        }
    }

    /** Numbers with a space between them. No builder is used: those can be what is asked about. */
    @Hidden
    static String joined(long... numbers) {
        String all = "";
        for (int i = 0; i < numbers.length; i++) {
            all = (i == 0 ? all : all.concat(" ")).concat(Long.toString(numbers[i]));
        }
        return all;
    }
}
