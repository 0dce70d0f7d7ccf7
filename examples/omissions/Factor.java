/** The sum ignores the count. Every write of it was executed. */
public class Factor {
    static class Order {
        int sum;
    }

    static void total(Order order, int price, int count) {
        order.sum = price; // the defect: price * count
    }

    public static void main(String[] args) {
        Order order = new Order();
        total(order, 4, 3);
        System.out.println(order.sum);
    }
}
