import java.util.*;

class Intro {
    static class Rec { boolean bar; }
    static Object foo;
    static boolean cond;

    static void run(List<Rec> list) {
        for (Rec record : list) {
            try {
                record.bar = true;
                stmt2(record);
                record.bar = expr1(record);
            } catch (RuntimeException e) {
            }
        }
        for (Rec record : list) {
            if (record.bar || cond) {
                foo = expr2(record);
            }
        }
        assert foo != null;
    }

    static void stmt2(Rec r) {}
    static boolean expr1(Rec r) { return false; }
    static Object expr2(Rec r) { return null; }
}
