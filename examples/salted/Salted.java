import java.util.Set;
import java.util.concurrent.CountDownLatch;

/** A program that does not repeat itself: the order of Set.of differs from VM to VM, and two threads race. */
public class Salted {
    static volatile String owner;
    static int weight;

    public static void main(String[] args) throws InterruptedException {
        String first = Set.of("anvil", "bellows", "chisel", "drill", "engine").iterator().next();
        if (first.compareTo("c") < 0) {
            weight = 10;
        } else {
            weight = first.length();
        }
        CountDownLatch start = new CountDownLatch(1);
        Thread left = new Thread(() -> take(start, "left"), "left");
        Thread right = new Thread(() -> take(start, "right"), "right");
        left.start();
        right.start();
        start.countDown();
        left.join();
        right.join();
        System.out.println(owner + " has " + first + ", weight " + weight);
    }

    static void take(CountDownLatch start, String name) {
        try {
            start.await();
            owner = name;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
