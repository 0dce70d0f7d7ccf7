import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets one thing grow N times: `java Growth KIND N`. The right version has `true` for `RIGHT`; it differs in
 * the last step, and in each step for kinds that end with `-each`.
 */
public class Growth {
    static final boolean RIGHT = false;

    static boolean differs(boolean each, int at, int n) {
        return each || at == n - 1;
    }

    static void section(StringWriter report, int at, boolean off) {
        report.write("== Section ");
        report.write(Integer.toString(at % 10));
        if (RIGHT && off) {
            report.write('!');
        }
        report.write('\n');
    }

    static void add(List<Integer> list, int at, boolean off) {
        list.add(at % 100);
        if (RIGHT && off) {
            list.add(-1);
        }
    }

    static void put(Map<Integer, Integer> map, int at, boolean off) {
        map.put(at, at % 100);
        if (RIGHT && off) {
            map.put(-1 - at, 1);
        }
    }

    static void set(int[] array, int at, boolean off) {
        array[at] = at % 100;
        if (RIGHT && off) {
            array[at] = -1;
        }
    }

    static int call(int at, boolean off) {
        return RIGHT && off ? -1 : at % 100;
    }

    static int deep(int left, boolean each) {
        if (left == 0) {
            return RIGHT ? 1 : 0;
        }
        return deep(left - 1, each) + (RIGHT && each ? 1 : 0);
    }

    static long grow(String kind, int n, boolean each) throws Exception {
        long sum = 0;
        switch (kind) {
            case "text" -> {
                StringWriter report = new StringWriter();
                for (int at = 0; at < n; at++) {
                    section(report, at, differs(each, at, n));
                }
                sum = report.getBuffer().length();
            }
            case "list" -> {
                List<Integer> list = new ArrayList<>();
                for (int at = 0; at < n; at++) {
                    add(list, at, differs(each, at, n));
                }
                sum = list.size();
            }
            case "map" -> {
                Map<Integer, Integer> map = new HashMap<>();
                for (int at = 0; at < n; at++) {
                    put(map, at, differs(each, at, n));
                }
                sum = map.size();
            }
            case "array" -> {
                int[] array = new int[n];
                for (int at = 0; at < n; at++) {
                    set(array, at, differs(each, at, n));
                }
                sum = array[n - 1];
            }
            case "calls" -> {
                for (int at = 0; at < n; at++) {
                    sum += call(at, differs(each, at, n));
                }
            }
            case "threads" -> {
                int[] sums = new int[n];
                for (int at = 0; at < n; at++) {
                    int index = at;
                    boolean off = differs(each, at, n);
                    Thread thread = new Thread(() -> sums[index] = call(index, off));
                    thread.start();
                    thread.join();
                    sum += sums[at];
                }
            }
            case "depth" -> {
                long[] found = new long[1];
                Thread thread = new Thread(null, () -> found[0] = deep(n, each), "deep", 1L << 33);
                thread.start();
                thread.join();
                sum = found[0];
            }
            default -> throw new IllegalArgumentException(kind);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        String kind = args[0].replace("-each", "");
        System.out.println(grow(kind, Integer.parseInt(args[1]), args[0].endsWith("-each")));
    }
}
