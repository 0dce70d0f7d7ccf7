import java.util.ArrayList;
import java.util.List;

/** A queue that adds at the wrong end. Every addition was executed. */
public class Front {
    final List<String> queue = new ArrayList<>();

    void put(String item) {
        queue.add(0, item); // the defect: at the end
    }

    public static void main(String[] args) {
        Front front = new Front();
        front.put("first");
        front.put("second");
        System.out.println(front.queue);
    }
}
