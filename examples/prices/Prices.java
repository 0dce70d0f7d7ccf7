import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Adds up an order by a list of prices, in cents. */
public class Prices {
    private final Map<String, int[]> scales = new HashMap<>();

    static class Item {
        final String name;
        int cents;

        Item(String name) {
            this.name = name;
        }
    }

    void load(List<String> rows) {
        for (String row : rows) {
            String[] cells = row.split(",");
            // the defect: the refill of a "Tea" is not a "tea"
            String name = cells[0].trim().toLowerCase();
            scales.put(name, scale(cells[1], cells[2]));
        }
    }

    /** What one costs, and what each costs of ten. */
    private static int[] scale(String one, String ten) {
        int[] scale = new int[2];
        scale[0] = Integer.parseInt(one.trim());
        scale[1] = Integer.parseInt(ten.trim());
        return scale;
    }

    private int price(String name, int count) {
        int[] scale = scales.get(name);
        return count >= 10 ? scale[1] : scale[0];
    }

    Item item(String name, int count) {
        Item item = new Item(name);
        int each = price(name, count);
        item.cents = each;
        return item;
    }

    public static void main(String[] args) {
        Prices prices = new Prices();
        prices.load(List.of("tea, 250, 220", "cup, 900, 800", "Tea , 90, 80"));
        List<Item> order = new ArrayList<>();
        order.add(prices.item("cup", 1));
        order.add(prices.item("tea", 2));
        int total = 0;
        for (Item item : order) {
            total += item.cents;
        }
        Item tea = order.get(1);
        System.out.println(total + ", of which tea " + tea.cents);
    }
}
