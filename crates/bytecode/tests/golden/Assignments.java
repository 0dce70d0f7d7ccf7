import java.io.*;

class Assignments {
    static int counter;
    int[] data;
    char c;
    boolean flag;
    Assignments next;
    Object o;

    void all(BufferedReader in, int i, Object any) throws IOException {
        String line;
        while ((line = in.readLine()) != null) {
            counter++;
        }
        data = new int[] {1, 2, i};
        data[i] = data[i - 1] + 1;
        data[0] += 3;
        int[][] grid = new int[3][4];
        String[] words = {"a", "b"};
        c = 'q';
        flag = true;
        flag = !flag;
        flag = i == 3;
        flag |= i > 4;
        next.next.flag = false;
        o = this;
        o = (String) any;
        long l = i;
        byte b = (byte) l;
        int both = i = 4;
        next = new Assignments();
        i <<= 2;
        i = -i;
        i = ~i;
        i = (i + 2) * 3 - (4 - (i - 5)) % 6;
        o = int[].class;
        double d = 1.0 / 3;
        counter = Math.max(i, counter);
        super.toString();
        throw new IllegalStateException("bad " + i);
    }
}
