/** What a parcel of three things costs, and what it weighs. */
public class Parcel {
    static class Label {
        int cents;
        int grams;
    }

    static int sum(int[] of) {
        int sum = 0;
        for (int one : of) {
            sum += one;
        }
        return sum;
    }

    static int tenth(int cents) {
        return cents / 10;
    }

    /** From 20.00 on a tenth is off. */
    static int discounted(int cents) {
        return cents >= 2000 ? cents - tenth(cents) : cents;
    }

    /** A box weighs 10 g, and 12 g more for each 100 g that are begun. */
    static int box(int grams) {
        // the defect: the last 100 g that are begun do not count
        return 10 + grams / 100 * 12;
    }

    /** What is heavy needs a box. */
    static int packed(int grams) {
        return grams > 1000 ? grams + box(grams) : grams + 20;
    }

    static Label label(int[] prices, int[] weights) {
        Label label = new Label();
        label.cents = discounted(sum(prices));
        label.grams = packed(sum(weights));
        return label;
    }

    public static void main(String[] args) {
        Label label = label(new int[] {250, 1999, 5}, new int[] {300, 1200, 10});
        System.out.println(label.cents + " ct, " + label.grams + " g");
    }
}
