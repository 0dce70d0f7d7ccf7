package shop;

import java.util.ArrayList;
import java.util.List;

/** A cart whose total is wrong for large orders. */
public class Cart {
    private final List<Item> items = new ArrayList<>();

    /** An item, with its price in cents. */
    record Item(String name, int count, int price) {
        int total() {
            return count * price;
        }
    }

    void add(String name, int count, int price) {
        items.add(new Item(name, count, price));
    }

    int total() {
        int sum = 0;
        for (Item item : items) {
            sum += item.total();
        }
        return sum - discount(sum);
    }

    /** A tenth from 100.00 on. */
    static int discount(int sum) {
        return sum > 10_000 ? sum / 10 : 0;
    }
}
