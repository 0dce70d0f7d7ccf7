public class Many {
    static int total;

    static int add(int number) {
        total += number;
        return total & 7;
    }

    static int four(int number) {
        int sum = 0;
        for (int i = 0; i < 4; i++) {
            sum += add(number + i);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        int calls = Integer.parseInt(arguments[0]);
        int sum = 0;
        for (int i = 0; i < calls / 5; i++) {
            sum += four(i);
        }
        System.out.println(sum);
    }
}
