import java.util.ArrayList;
import java.util.List;

/** The copy is made too early. Every addition was executed, on the original. */
public class Snapshot {
    public static void main(String[] args) {
        List<String> names = new ArrayList<>();
        names.add("Ada");
        List<String> copy = new ArrayList<>(names); // the defect: one line too early
        names.add("Grace");
        System.out.println(copy);
    }
}
