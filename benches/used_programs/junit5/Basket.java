import java.util.ArrayList;
import java.util.List;

/** A basket that asks a service for prices. What is free is counted as not priced, so the sum stops there. */
public class Basket {
    public interface Prices {
        int of(String name);
    }

    private final List<String> names = new ArrayList<>();

    void add(String name) {
        names.add(name);
    }

    int total(Prices prices) {
        int total = 0;
        for (String name : names) {
            int price = prices.of(name);
            if (price == 0) {
                break;
            }
            total += price;
        }
        return total;
    }
}
