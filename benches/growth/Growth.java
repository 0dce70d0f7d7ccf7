import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

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

    /** Both versions add the same, in another order. */
    static void include(Set<Integer> set, int at, boolean off) {
        set.add(RIGHT && off ? 2 * at + 1 : 2 * at);
        set.add(RIGHT && off ? 2 * at : 2 * at + 1);
    }

    /** The queue holds ten; in the other version it grows. */
    static void pass(Queue<Integer> queue, int at, boolean off) {
        queue.add(at);
        if (queue.size() > 10 && !(RIGHT && off)) {
            queue.remove();
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

    static void look(int left) {
    }

    /** The versions do the same in each call, by other steps. */
    static int nested(int left, int[] array, boolean each) {
        if (RIGHT && each) {
            look(left);
        }
        array[left] = left;
        return left == 0 ? 0 : nested(left - 1, array, each);
    }

    /** Each call returns the same list, which grows. */
    static List<Integer> collected(int left, boolean each) {
        if (RIGHT && each) {
            look(left);
        }
        List<Integer> list = left == 0 ? new ArrayList<>() : collected(left - 1, each);
        list.add(left % 100);
        return list;
    }

    /** Removes by a key that is equal, and not the same. */
    static void drain(Map<String, Integer> map, int at, boolean off) {
        if (!(RIGHT && off)) {
            map.remove("key " + at);
        }
    }

    static final List<Integer> SHARED = new ArrayList<>();

    /** The arguments do not tell that the list differed before. */
    static void share(int at, boolean off) {
        SHARED.add(RIGHT && off ? -1 : at % 100);
    }

    /** The program ends while all calls are open. */
    static int leave(int left) {
        if (left == 0) {
            System.exit(0);
        }
        return leave(left - 1) + 1;
    }

    /** Runs a deep recursion on a stack that is large enough. */
    static void onLargeStack(Runnable recursion) throws Exception {
        Thread thread = new Thread(null, recursion, "deep", 1L << 33);
        thread.start();
        thread.join();
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
            case "set" -> {
                Set<Integer> set = new HashSet<>();
                for (int at = 0; at < n; at++) {
                    include(set, at, differs(each, at, n));
                }
                sum = set.size();
            }
            case "tree" -> {
                Map<Integer, Integer> map = new TreeMap<>();
                for (int at = 0; at < n; at++) {
                    put(map, n - at, differs(each, at, n));
                }
                sum = map.size();
            }
            case "queue" -> {
                Queue<Integer> queue = new ArrayDeque<>();
                for (int at = 0; at < n; at++) {
                    pass(queue, at, differs(each, at, n));
                }
                sum = queue.size();
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
                onLargeStack(() -> found[0] = deep(n, each));
                sum = found[0];
            }
            case "nested" -> onLargeStack(() -> nested(n - 1, new int[n], each));
            case "collected" -> onLargeStack(() -> collected(n - 1, each));
            case "shared" -> {
                for (int at = 0; at < n; at++) {
                    share(at, differs(each, at, n));
                }
            }
            case "drain" -> {
                Map<String, Integer> map = new ConcurrentHashMap<>();
                for (int at = 0; at < n; at++) {
                    map.put("key " + at, at % 100);
                }
                for (int at = 0; at < n; at++) {
                    drain(map, at, differs(each, at, n));
                }
                sum = map.size();
            }
            case "exit" -> onLargeStack(() -> leave(n));
            default -> throw new IllegalArgumentException(kind);
        }
        return sum;
    }

    public static void main(String[] args) throws Exception {
        String kind = args[0].replace("-each", "");
        System.out.println(grow(kind, Integer.parseInt(args[1]), args[0].endsWith("-each")));
    }
}
