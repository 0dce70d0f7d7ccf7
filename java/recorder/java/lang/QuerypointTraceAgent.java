package java.lang;

import jdk.internal.vm.annotation.Hidden;

/** What the recording asks of the agent: its library has the functions ({@code ../src/rings.rs}). */
final class QuerypointTraceAgent {
    static {
        link();
    }

    @Hidden
    private QuerypointTraceAgent() {
    }

    /** Has the VM know all functions that are called later, without looking for them. */
    private static native void link();

    /**
     * So much memory, all 0, which takes none of the machine's where nothing was written; 0 where there is
     * none.
     */
    private static native long reserve(long bytes);

    /**
     * The same, for a table that the recorder cannot do without: its class is not initialised where there is
     * no memory.
     */
    @Hidden
    static long table(long bytes) {
        long address = reserve(bytes);
        if (address == 0) {
            throw new OutOfMemoryError();
        }
        return address;
    }

    /**
     * A ring for a thread, by its name, its number, if it has no name whether it is virtual, the name of its
     * group (null for none) and its number as an object: where
     * its control words are; 0 where there is none.
     */
    static native long ring(String thread, long tid, boolean isVirtual, String group, int number);

    /** The thread of a ring has ended: another one may have it, when all that is in it was taken out. */
    static native void ended(long ring);

    /** Waits until there is room for an event in a ring. False where nobody takes anything out any more. */
    static native boolean await(long ring);

    /** Leaves the processor to other threads for a moment. The thread keeps its carrier. */
    static native void pause();

    /** Whether the processor shows stores to others in their order. */
    static native boolean ordered();

    /** Whether only some calls are recorded. */
    static native boolean windowed();

    /** Whether only calls or writes with certain values are recorded. */
    static native boolean tested();

    /** Whether it begins or ends at a place. */
    static native boolean places();

    /** Whether it begins at a place. */
    static native boolean waits();

    /** Where it is counted how often a jump is steered, 16 bytes; 0 where none is. */
    static native long steering();

    /** Where stack overflows are counted that recorded code meets, 8 bytes; 0 where nobody reads it. */
    static native long overflows();

    /** The name of the threads whose executions of that jump are counted; null: all are steered. */
    static native String steeredThread();

    /** Which of those executions is steered, from 0. */
    static native long steeredExecution();

    /** Which later one is steered too; -1 where none is. */
    static native long steeredLater();

    /** Whether later executions with equal operands are steered too. */
    static native boolean steersEqual();

    /** Which time the place has to be reached where it begins, or ends; 0 where there is none. */
    static native int hits(boolean end);

    /** It is reached. */
    static native void reached(boolean end);

    /** Whether it is recorded what the JDK's collections hold. */
    static native boolean contents();

    /**
     * Those of a new thread: the first, the first that is not one any more, and the calls around; null if no
     * call is.
     */
    static native long[] window(String thread, long tid);

    /** The field that is written at a site, of an object of this class; null where there is none. */
    static native java.lang.reflect.Field field(int site, Class<?> owner);

    /** The number of a further site, where a call has written a field; 0 where it cannot be told of. */
    static native int write(int site, String declares, String name, String descriptor, boolean isStatic);

    /** What is lost: see {@code LOSSES} there. */
    static native void lose(int what);

    static final int THREAD = 1;
    static final int NAME = 2;
    static final int FIELD = 3;
    static final int CONTENTS = 4;
    static final int ARRAYS = 5;
    static final int HANDLE = 6;
}
