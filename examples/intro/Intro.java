import java.util.List;
import java.util.Map;

public class Intro {
    public static void main(String[] args) {
        List<Rec> list = Rec.read("1 ", "12", "3", "x2", "1O", " 2", "25", "3");
        boolean cond = args.length > 0;
        // first loop: an error in a record is ignored, and bar keeps its first value
        for (Rec record : list) {
            record.bar = true;
            try {
                stmt1(record);
                stmt2(record);
                record.bar = expr1(record);
                stmt3(record);
            } catch (Exception ignored) {
                // nothing to do
            }
        }

        Object foo;
        // second loop
        for (Rec record : list) {
            if (record.bar || cond) {
                record.bar = false;
                foo = expr2(record);
            } else {
                foo = expr3(record);
            }
            // a label for every record
            assert foo != null;
            System.out.println(record.text + " is " + foo);
        }
    }

    private static final Map<Integer, String> LARGE = Map.of(12, "a dozen", 25, "a quarter");

    /** Cleans the text. */
    static void stmt1(Rec record) {
        record.text = record.text.strip();
    }

    /** Reads the number; an "x" before it means ten times as much. */
    static void stmt2(Rec record) {
        String digits = record.text.startsWith("x") ? record.text.substring(1) + "0" : record.text;
        record.number = Integer.parseInt(digits);
    }

    /** Is the record large? Only large records have a name of their own. */
    static boolean expr1(Rec record) {
        return LARGE.containsKey(record.number);
    }

    /** Complains of a record that was meant as a multiple, after everything else is done. */
    static void stmt3(Rec record) {
        if (record.text.startsWith("x")) {
            throw new IllegalStateException("multiples are not sold: " + record.text);
        }
    }

    /** The label of a large record. */
    static Object expr2(Rec record) {
        return LARGE.get(record.number);
    }

    /** The label of a small record. */
    static Object expr3(Rec record) {
        return "small (" + record.number + ")";
    }
}

/** A line of an order. */
class Rec {
    String text;
    int number;
    boolean bar;

    static List<Rec> read(String... texts) {
        return java.util.Arrays.stream(texts).map(Rec::new).toList();
    }

    Rec(String text) {
        this.text = text;
    }
}
