import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** What the probed program calls: it logs what it does, and takes one condition the other way. */
public class Probe {
    /** Logged events, after which a run is taken to have no end. */
    private static final int FUEL = 3000;

    private static final class Endless extends Error {}

    private static final List<String> LOG = new ArrayList<>();
    private static final Map<Object, String> NAMES = new IdentityHashMap<>();
    private static final ArrayList<Integer> OPEN = new ArrayList<>();
    private static final Map<Integer, Integer> PASSES = new java.util.HashMap<>();
    private static int frames;
    private static int flipped = -1;
    private static int nth;
    private static int value;

    private static void log(String text) {
        if (LOG.size() > FUEL) {
            throw new Endless();
        }
        LOG.add(text);
    }

    private static int frame() {
        return OPEN.get(OPEN.size() - 1);
    }

    public static int in(String method) {
        int own = frames++;
        int from = OPEN.isEmpty() ? -1 : frame();
        OPEN.add(own);
        log("in " + own + " " + from + " " + method);
        return own;
    }

    public static void out(int frame) {
        OPEN.remove(OPEN.size() - 1);
        LOG.add("out " + frame);
    }

    public static void line(int line) {
        log("line " + frame() + " " + line);
    }

    public static void handler() {
        log("handler " + frame());
    }

    public static boolean c(int id, boolean is) {
        return s(id, is ? 1 : 0, 0, 1) == 1;
    }

    public static int s(int id, int is, int... labels) {
        int pass = PASSES.merge(id, 1, Integer::sum) - 1;
        boolean isIt = id == flipped && pass == nth;
        StringBuilder text = new StringBuilder((isIt ? "flip " : "pass ") + frame() + " " + id + " " + pass);
        int key = 99;
        for (int label : labels) {
            key = label == is ? label : key;
        }
        text.append(" ").append(key);
        for (int label : labels) {
            text.append(" ").append(label);
        }
        log(text.toString());
        return isIt ? value : is;
    }

    public static void name(String name, Object object) {
        NAMES.put(object, name);
        log("name " + name);
    }

    public static void op(int line, Object object) {
        log("op " + frame() + " " + line + " " + NAMES.get(object));
    }

    public static void end(String label, Object object, Object shown) {
        int size = shown instanceof java.util.Collection<?> of ? of.size()
                : shown instanceof Map<?, ?> of ? of.size()
                : shown instanceof CharSequence of ? of.length()
                : (Integer) shown;
        String of = NAMES.get(object) + " " + object.getClass().getSimpleName();
        log("end " + label + " " + of + " " + size + " " + shown);
    }

    /** Runs the program without a flip, or with one. */
    public static List<String> run(String[] words) throws Exception {
        if (words.length > 0) {
            flipped = Integer.parseInt(words[0]);
            nth = Integer.parseInt(words[1]);
            value = Integer.parseInt(words[2]);
        }
        try {
            Class.forName("Program").getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (java.lang.reflect.InvocationTargetException e) {
            LOG.add((e.getCause() instanceof Endless ? "endless " : "crashed ") + e.getCause());
        }
        return LOG;
    }

    private static List<String> fresh(String folder, String... words) throws Exception {
        URL[] classes = {new File(folder).toURI().toURL()};
        try (URLClassLoader loader = new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
            Class<?> own = loader.loadClass("Probe");
            @SuppressWarnings("unchecked")
            List<String> log =
                    (List<String>) own.getMethod("run", String[].class).invoke(null, (Object) words);
            return log;
        }
    }

    /** Prints the log of the run, and of the run with each pass of each condition taken each other way. */
    public static void main(String[] args) throws Exception {
        java.io.PrintStream own = System.out;
        System.setOut(new java.io.PrintStream(java.io.OutputStream.nullOutputStream()));
        StringBuilder all = new StringBuilder();
        List<String> plain = fresh(args[0]);
        all.append("run\n");
        plain.forEach(line -> all.append(line).append("\n"));
        int most = Integer.parseInt(args[1]);
        for (String line : plain) {
            String[] words = line.split(" ");
            if (!words[0].equals("pass")) {
                continue;
            }
            List<String> values = new ArrayList<>(List.of(words).subList(5, words.length));
            if (!values.equals(List.of("0", "1"))) {
                values.add("99");
            }
            for (String other : values) {
                if (!other.equals(words[4]) && most-- > 0) {
                    all.append("run ").append(words[2] + " " + words[3] + " " + other).append("\n");
                    fresh(args[0], words[2], words[3], other).forEach(of -> all.append(of).append("\n"));
                }
            }
        }
        own.print(all);
    }
}
