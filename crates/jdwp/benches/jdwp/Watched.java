/** Writes a field again and again, from a method with a few local variables. */
public class Watched {
    int field;

    public static void main(String[] args) {
        int count = Integer.parseInt(args[0]);
        Watched watched = new Watched();
        for (int i = 0; i < count; i++) {
            watched.write(i, "some text");
        }
    }

    void write(int number, String text) {
        long twice = 2L * number;
        double half = number / 2.0;
        field = number;
        if (twice < half) {
            throw new IllegalStateException(text);
        }
    }
}
