/** Methods in which any call that was put in may end by an exception: what has to run runs all the same. */
public class Guarded {
    static int opened;
    static int closed;
    static int caught;
    int value;

    Guarded(int start) {
        value = start > 0 ? start : 1;
        try {
            value++;
        } finally {
            closed++;
        }
    }

    static int open() {
        return ++opened;
    }

    /** Opens twice, and closes as often, whatever happens in between. */
    int nested(int x) {
        open();
        try {
            value = x;
            open();
            try {
                value += x > 3 ? 1 : 2;
                for (int i = 0; i < 2; i++) {
                    value++;
                }
            } catch (IllegalStateException e) {
                throw new AssertionError(e);
            } finally {
                closed++;
            }
            value--;
        } finally {
            closed++;
        }
        return value;
    }

    int catches(int x) {
        try {
            value = x;
            if (x > 2) {
                value = 2 * x;
            }
        } catch (ArithmeticException e) {
            return -1;
        } catch (Error e) {
            caught++;
        }
        return 7;
    }

    public static void main(String[] args) {
        int failed = 0;
        for (int at = 1; ; at++) {
            QpProbe.failAt = 0;
            Guarded guarded = new Guarded(3);
            opened = closed = caught = 0;
            QpProbe.failAt = at;
            QpProbe.calls = QpProbe.guarded = 0;
            int thrown = 0;
            try {
                guarded.nested(5);
            } catch (StackOverflowError e) {
                thrown++;
            }
            boolean fails = QpProbe.calls >= at;
            if (opened != closed || thrown != QpProbe.guarded || thrown != (fails ? 1 : 0)) {
                throw new AssertionError(at + ": " + opened + " " + closed + " " + thrown + " " + QpProbe.guarded);
            }
            QpProbe.calls = QpProbe.guarded = 0;
            int result = guarded.catches(5);
            if (result != 7 || caught != (QpProbe.calls >= at ? 1 : 0) || caught != QpProbe.guarded) {
                throw new AssertionError(at + ": " + result + " " + caught + " " + QpProbe.guarded);
            }
            failed += thrown + caught;
            if (!fails) {
                System.out.print("failed " + failed);
                return;
            }
        }
    }
}
