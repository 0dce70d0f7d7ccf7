/** A ring that nobody reads, as large as those of recorded threads; all threads write it at once. */
public final class Word {
    private static final int[] DATA = new int[1 << 20];
    private static int written;

    private Word() {
    }

    public static void put(int site) {
        int at = written;
        DATA[at & DATA.length - 1] = site;
        written = at + 1;
    }
}
