import java.util.HashMap;
import java.util.Map;

/** Two keys that should be one. Every entry was put. */
public class Twice {
    static String key(String name) {
        return name; // the defect: name.toLowerCase()
    }

    public static void main(String[] args) {
        Map<String, Integer> counts = new HashMap<>();
        for (String name : new String[] {"Ada", "ada"}) {
            counts.merge(key(name), 1, Integer::sum);
        }
        System.out.println(counts);
    }
}
