import java.util.ArrayList;
import java.util.List;

/** The basket is filled, and cleared once too often. Nothing was omitted. */
public class Cleared {
    static void reset(List<String> basket) {
        basket.clear();
    }

    public static void main(String[] args) {
        List<String> basket = new ArrayList<>();
        reset(basket);
        basket.add("tea");
        reset(basket); // the defect
        System.out.println(basket);
    }
}
