import java.util.ArrayList;
import java.util.List;

/** Reads settings. A blank line should be skipped; it ends the reading. */
public class Blank {
    static List<String> read(String[] lines) {
        List<String> settings = new ArrayList<>();
        for (String line : lines) {
            if (line.isBlank()) {
                break; // the defect: continue
            }
            settings.add(line);
        }
        return settings;
    }

    public static void main(String[] args) {
        List<String> settings = read(new String[] {"color=red", "", "size=7"});
        System.out.println(settings);
    }
}
