import java.util.HashMap;
import java.util.Map;

/** A stock that a script fills. A second delivery replaces the first. */
public class Stock {
    private final Map<String, Integer> counts = new HashMap<>();
    private int last;

    public void add(String name, int count) {
        last = count;
        counts.put(name, last);
    }

    public int count(String name) {
        int count = counts.get(name);
        return count;
    }
}
