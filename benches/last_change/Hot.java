import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A loop that writes the variable in question, and does little else. Arguments: the kind of variable, the
 * number of writes, the number of objects. Prints the loop's time in milliseconds, and the peak memory.
 */
public class Hot {
    int value;

    static int next(int x) {
        x ^= x << 13;
        x ^= x >>> 17;
        return x ^ x << 5;
    }

    static int field(Hot hot, int count, int x) {
        for (int i = 0; i < count; i++) {
            x = next(x);
            hot.value = x;
        }
        return x;
    }

    static int owners(Hot[] all, int count, int x) {
        for (int i = 0; i < count; i++) {
            x = next(x);
            all[(int) ((x & 0xffffffffL) * all.length >>> 32)].value = x;
        }
        return x;
    }

    static int array(int[] cells, int count, int x) {
        for (int i = 0; i < count; i++) {
            x = next(x);
            cells[i & 7] = x;
        }
        return x;
    }

    static int local(int count, int x) {
        int last = 0;
        for (int i = 0; i < count; i++) {
            x = next(x);
            last = x;
        }
        return last; // <- local
    }

    static int condition(int count, int x) {
        int even = 0;
        for (int i = 0; i < count; i++) {
            x = next(x);
            if ((x & 3) != 0) {
                even++;
            }
        }
        return even; // <- condition
    }

    /** The process's peak memory, in KiB; 0 where the system does not report it. */
    static long peak() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElse(0);
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
    }

    public static void main(String[] args) {
        int count = Integer.parseInt(args[1]);
        Hot[] all = new Hot[Integer.parseInt(args[2])];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Hot();
        }
        int[] cells = new int[8];
        Hot hot = all[0];
        int seven = cells.length - 1;
        long before = System.nanoTime();
        int result = switch (args[0]) {
            case "field" -> field(hot, count, 1);
            case "owners" -> owners(all, count, 1);
            case "array" -> array(cells, count, 1);
            case "local" -> local(count, 1);
            default -> condition(count, 1);
        };
        System.out.println("took " + (System.nanoTime() - before) / 1e6);
        System.out.println("peak " + peak());
        System.out.println(result + hot.value + cells[seven]); // <- end
    }
}
