import java.util.ArrayList;
import java.util.List;

public class Shop {
    int total;
    List<String> names = new ArrayList<>();

    int price(int n) {
        return n * 3;
    }

    void sell(int n) {
        int cost = price(n);
        total += cost;
        names.add("item " + n);
    }

    public static void main(String[] args) {
        Shop shop = new Shop();
        for (int i = 0; i < 20; i++) {
            shop.sell(i);
        }
        throw new IllegalStateException("total is " + shop.total);
    }
}
