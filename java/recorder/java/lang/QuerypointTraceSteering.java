package java.lang;

import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.Hidden;

/**
 * What is called before a conditional jump that is to go another way: it replaces the operands of the jump at
 * the executions that are steered, and leaves them at all others.
 */
public final class QuerypointTraceSteering {
    private static final Unsafe U = Unsafe.getUnsafe();
    /** Where the counts are, of executions and behind it of steered ones: 0 where nothing is steered. */
    private static final long COUNTS = QuerypointTraceAgent.steering();
    private static final int STEERED = 8;
    /** Name, or name and number, of the threads whose executions are counted; null: all are steered. */
    private static final String THREAD = COUNTS == 0 ? null : QuerypointTraceAgent.steeredThread();
    /** The number of earlier executions in those threads. */
    private static final long NTH = COUNTS == 0 ? 0 : QuerypointTraceAgent.steeredExecution();
    /** The same of a second execution; -1: there is none. */
    private static final long LATER = COUNTS == 0 ? -1 : QuerypointTraceAgent.steeredLater();
    /** Later executions with equal operands are steered too. */
    private static final boolean EQUAL = COUNTS != 0 && QuerypointTraceAgent.steersEqual();
    /** No other operand is the same object. */
    private static final Object OTHER = new Object();

    /** The operands of that execution, where it has happened. */
    private static int firstNumber;
    private static int secondNumber;
    private static Object firstObject;
    private static Object secondObject;
    private static volatile boolean happened;

    @Hidden
    private QuerypointTraceSteering() {
    }

    /** Whether the executions in a thread are counted: it is asked for by name, or by name and number. */
    @Hidden
    static boolean isNamed(Thread thread, long tid) {
        if (THREAD == null) {
            return false;
        }
        String name = thread.getName();
        if (THREAD.equals(name)) {
            return true;
        }
        String base = !name.isEmpty() ? name : QuerypointProbeNumber.isVirtual(thread) ? "virtual" : "thread";
        return THREAD.equals(base.concat(" #").concat(Long.toString(tid)));
    }

    /** Before each execution of a jump that is inverted. */
    @Hidden
    public static void inverted() {
        if (COUNTS != 0) {
            U.getAndAddLong(null, COUNTS, 1);
            steered();
        }
    }

    /** An operand that is a number, or the other one instead. */
    @Hidden
    public static int one(int operand, int instead) {
        return steers(operand, 0, null, null) ? instead : operand;
    }

    /** An operand that is a reference, or instead null where that is 1, else an object. */
    @Hidden
    public static Object one(Object operand, int isNull) {
        return steers(0, 0, operand, null) ? other(isNull) : operand;
    }

    /** Whether a jump with these operands is steered: 1 or 0. */
    @Hidden
    public static int two(int first, int second) {
        return steers(first, second, null, null) ? 1 : 0;
    }

    /** The same for references. */
    @Hidden
    public static int two(Object first, Object second) {
        return steers(0, 0, first, second) ? 1 : 0;
    }

    /** One of two operands, or the other number instead where the jump is steered. */
    @Hidden
    public static int pick(int operand, int instead, int steers) {
        return steers == 1 ? instead : operand;
    }

    /** The same for references: null or an object instead. */
    @Hidden
    public static Object pick(Object operand, int isNull, int steers) {
        return steers == 1 ? other(isNull) : operand;
    }

    /**
     * What becomes of an execution of a loop's condition. The test is its opcode, negative where the loop
     * goes on without a jump. The state is 0 where the loop had no further turn, 1 where this execution gives
     * it one, and 2 where it has had it.
     */
    @Hidden
    public static int turn(int operand, int test, int state) {
        return turn(operand, 0, test, state);
    }

    /** The same for two numbers. */
    @Hidden
    public static int turn(int a, int b, int test, int state) {
        boolean jumps;
        int opcode = test < 0 ? -test : test;
        // Those that compare with 0 are in the order of those that compare two numbers.
        switch (opcode < 0x9f ? opcode + 6 : opcode) {
            case 0x9f:
                jumps = a == b;
                break;
            case 0xa0:
                jumps = a != b;
                break;
            case 0xa1:
                jumps = a < b;
                break;
            case 0xa2:
                jumps = a >= b;
                break;
            case 0xa3:
                jumps = a > b;
                break;
            default:
                jumps = a <= b;
        }
        return turned(jumps == test > 0, state);
    }

    /** The same for a reference that is compared with null. */
    @Hidden
    public static int turn(Object operand, int test, int state) {
        boolean isNull = operand == null;
        boolean jumps = test == 0xc6 || test == -0xc6 ? isNull : !isNull;
        return turned(jumps == test > 0, state);
    }

    /** The same for two references. */
    @Hidden
    public static int turn(Object a, Object b, int test, int state) {
        boolean isSame = a == b;
        boolean jumps = test == 0xa5 || test == -0xa5 ? isSame : !isSame;
        return turned(jumps == test > 0, state);
    }

    @Hidden
    private static int turned(boolean goesOn, int state) {
        if (COUNTS == 0) {
            return 0;
        }
        if (isCounted() && U.getAndAddLong(null, COUNTS, 1) == NTH) {
            happened = true;
        }
        if (goesOn) {
            return state == 0 ? 0 : 2;
        }
        return state == 0 && happened && steered() ? 1 : 0;
    }

    @Hidden
    private static Object other(int isNull) {
        return isNull != 0 ? null : OTHER;
    }

    @Hidden
    private static boolean steers(int a, int b, Object x, Object y) {
        if (COUNTS == 0) {
            return false;
        }
        if (THREAD == null) {
            U.getAndAddLong(null, COUNTS, 1);
            return steered();
        }
        long nth = isCounted() ? U.getAndAddLong(null, COUNTS, 1) : -1;
        if (nth == NTH) {
            if (EQUAL) {
                firstNumber = a;
                secondNumber = b;
                firstObject = x;
                secondObject = y;
                happened = true;
            }
            return steered();
        }
        if (nth >= 0 && nth == LATER) {
            return steered();
        }
        return EQUAL && happened && firstNumber == a && secondNumber == b && firstObject == x
                && secondObject == y && steered();
    }

    /** A recorded thread has the name that the recording has for it, even where it was changed since. */
    @Hidden
    private static boolean isCounted() {
        Thread thread = Thread.currentThread();
        QuerypointTraceThread known = QuerypointTraceThread.known(thread);
        return known == null ? isNamed(thread, QuerypointTraceThread.tid(thread)) : known.steers;
    }

    @Hidden
    private static boolean steered() {
        U.getAndAddLong(null, COUNTS + STEERED, 1);
        return true;
    }
}
