//! The Java code common to all programs: the types that the generated statements use, and the log.

/// The fixed members of each program's class. `Acc` logs the writes to its fields.
pub const TYPES: &str = r#"enum Level {
    LOW { int rank(int n) { return n + 1; } },
    HIGH { int rank(int n) { return n * 3; } };
    abstract int rank(int n);
    static Level of(int n) { return n % 2 == 0 ? LOW : HIGH; }
}
record Pair(int a, int b) {
    Pair {
        if (a > b) {
            int c = a;
            a = b;
            b = c;
        }
    }
    int sum() { return a + b; }
}
sealed interface Shape permits Circle, Square {
    int area();
    default int twice() { return area() * 2; }
    static Shape of(int n) { return n % 3 == 0 ? new Circle(n) : new Square(n); }
}
record Circle(int r) implements Shape { public int area() { return 3 * r * r; } }
record Square(int s) implements Shape { public int area() { return s * s; } }
static final class Key {
    final int n;
    Key(int n) { this.n = n; }
}
static abstract class Base<T> {
    T last;
    abstract T make(int n);
    T keep(int n) {
        last = make(n);
        return last;
    }
}
static final class Texts extends Base<String> { String make(int n) { return "t" + n; } }
static final class Res implements AutoCloseable {
    final int n;
    Res(int n) { this.n = n; }
    public void close() { closed += n; }
}
static int closed;
static Object seen;
static long stamp;
static final class Range implements Iterable<Integer> {
    final int to;
    Range(int to) { this.to = to; }
    public Iterator<Integer> iterator() {
        return new Iterator<>() {
            int at;
            public boolean hasNext() { return at < to; }
            public Integer next() { return at++; }
        };
    }
}
static int total(int... ns) {
    int sum = 0;
    for (int n : ns) sum += n;
    return sum;
}
static int keys(int n) {
    Set<Key> set = new HashSet<>();
    for (int i = 0; i < n; i++) set.add(new Key(i));
    int sum = 0;
    for (Key key : set) sum += key.n;
    return sum;
}
static void order(int n) {
    Map<Key, Integer> map = new HashMap<>();
    for (int i = 0; i < n; i++) map.put(new Key(i), i);
    StringBuilder text = new StringBuilder();
    for (Map.Entry<Key, Integer> entry : map.entrySet()) text.append(entry.getValue()).append(entry.getKey());
    seen = text.toString();
}
static void chance() {
    stamp = System.nanoTime();
    seen = new Random().nextInt() + System.identityHashCode(new Key(1));
}
static int apply(IntUnaryOperator by, int n) { return by.applyAsInt(n); }
static int half(int n) { return n / 2; }
static Optional<Integer> some(int n) { return n % 2 == 0 ? Optional.of(n) : Optional.empty(); }
static List<Integer> list(int n) {
    List<Integer> list = new ArrayList<>();
    for (int i = 0; i < n; i++) list.add(i * 2);
    return list;
}
static int boxed(Integer a, Integer b) { return a > b ? a - b : a + b; }
static <T extends Comparable<T>> T most(T a, T b) { return a.compareTo(b) > 0 ? a : b; }
static void mark() { }"#;

/// Imports of each program.
pub const IMPORTS: &str = "import java.util.*; import java.util.function.*; import java.util.stream.*; import java.util.concurrent.*;";

/// The log's code. It prints its events when the program ends.
pub const LOG: &str = r##"
import java.util.ArrayList;
import java.util.IdentityHashMap;

final class Log {
    static final StringBuilder out = new StringBuilder();
    static final IdentityHashMap<Object, Integer> ids = new IdentityHashMap<>();
    static final ThreadLocal<ArrayList<Integer>> stacks = ThreadLocal.withInitial(ArrayList::new);
    static int acts, events;
    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> { System.out.print(out); System.out.flush(); }));
    }
    static synchronized void put(String line) {
        if (++events > 4000) {
            System.out.println("#LONG");
            System.out.flush();
            Runtime.getRuntime().halt(3);
        }
        out.append('#').append(line).append('\n');
    }
    static int act() {
        ArrayList<Integer> stack = stacks.get();
        return stack.isEmpty() ? 0 : stack.get(stack.size() - 1);
    }
    static synchronized void in() {
        stacks.get().add(++acts);
    }
    static void out() {
        ArrayList<Integer> stack = stacks.get();
        stack.remove(stack.size() - 1);
    }
    static String id(Object x) {
        if (x == null) return "-";
        return "@" + ids.computeIfAbsent(x, any -> ids.size() + 1);
    }
    static String v(Object x) {
        if (x instanceof String) return "\"" + ((String) x).replace("\n", "\\n") + "\"";
        return x instanceof Long ? x + "L" : "" + x;
    }
    static boolean l(int line) { put("L " + act() + " " + line); return true; }
    static boolean c(int id, boolean way) { put("C " + act() + " " + id + " " + way); return way; }
    static String st(int id, int line, String x) { put("S " + act() + " " + id + " " + line + " " + v(x)); return x; }
    static int si(int id, int line, int x) { put("S " + act() + " " + id + " " + line + " " + v(x)); return x; }
    static long sl(int id, int line, long x) { put("S " + act() + " " + id + " " + line + " " + v(x)); return x; }
    static boolean sb(int id, int line, boolean x) { put("S " + act() + " " + id + " " + line + " " + v(x)); return x; }
    static String wt(Object owner, String field, int line, String x) { put("W " + act() + " " + id(owner) + " " + field + " " + line + " " + v(x)); return x; }
    static int wi(Object owner, String field, int line, int x) { put("W " + act() + " " + id(owner) + " " + field + " " + line + " " + v(x)); return x; }
    static long wl(Object owner, String field, int line, long x) { put("W " + act() + " " + id(owner) + " " + field + " " + line + " " + v(x)); return x; }
    static boolean wb(Object owner, String field, int line, boolean x) { put("W " + act() + " " + id(owner) + " " + field + " " + line + " " + v(x)); return x; }
    static String mt(int line, String x) { put("M " + act() + " " + line); return x; }
    static int mi(int line, int x) { put("M " + act() + " " + line); return x; }
    static long ml(int line, long x) { put("M " + act() + " " + line); return x; }
    static boolean mb(int line, boolean x) { put("M " + act() + " " + line); return x; }
    static void named(Object x, String name) { put("N " + id(x) + " " + name); }
}
"##;
