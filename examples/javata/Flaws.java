/** Four situations in which rules that the JavaTA paper prints give wrong answers (docs/queries.md). */
public class Flaws {
    static class Base {
        String kept = "kept";
    }

    static class Rec extends Base {
        boolean isMarked;

        void mark() {
            isMarked = true;
        }
    }

    static void fails() {
        throw new IllegalStateException("expected");
    }

    static void end(Rec rec) {
        rec.mark();
        throw new IllegalStateException("nobody catches this");
    }

    public static void main(String[] args) {
        Rec rec = new Rec();
        try {
            fails();
        } catch (IllegalStateException expected) {
            rec.mark();
        }
        end(rec);
    }
}
