/**
 * A loop whose only line is passed so often. Arguments: the kind of condition, whether the source tests it
 * itself, and the number of passes. Prints the loop's time in milliseconds.
 */
public class Passed {
    int limit = 3;
    String name = "names";
    int[] cells = {1, 2, 3};
    int hits;

    static int next(int x) {
        x ^= x << 13;
        x ^= x >>> 17;
        return x ^ x << 5;
    }

    static int plain(Passed p, int count, int x) {
        for (int i = 0; i < count; i++) {
            x = next(x); // <- plain
        }
        return x;
    }

    static int numbers(Passed p, int count, int x) {
        for (int i = 0; i < count; i++) {
            if (x != 0 && p.limit == 4) {
                p.hits++;
            }
            x = next(x);
        }
        return x;
    }

    static int text(Passed p, int count, int x) {
        for (int i = 0; i < count; i++) {
            if (p.name.equals("other")) {
                p.hits++;
            }
            x = next(x);
        }
        return x;
    }

    static int element(Passed p, int count, int x) {
        for (int i = 0; i < count; i++) {
            if (p.cells[i % 3] + i < 0) {
                p.hits++;
            }
            x = next(x);
        }
        return x;
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        Passed p = new Passed();
        long before = System.nanoTime();
        int result = switch (args[0]) {
            case "numbers" -> numbers(p, count, 1);
            case "text" -> text(p, count, 1);
            case "element" -> element(p, count, 1);
            default -> plain(p, count, 1);
        };
        System.out.println("took " + (System.nanoTime() - before) / 1e6);
        System.out.println(result + p.hits);
    }
}
