class IfElse {
    boolean bar;
    int count;

    int plain(int x) {
        if (x > 3) {
            count = x;
        } else {
            count = -x;
        }
        return count;
    }

    String ladder(int x) {
        String s;
        if (x < 0) {
            s = "negative";
        } else if (x == 0) {
            s = "zero";
        } else if (x != 7) {
            s = "some";
        } else {
            s = "seven";
        }
        return s;
    }

    void kinds(long l, double d, float f, Object o, char c, boolean b) {
        if (l > 5L) count = 1;
        if (d < 0.5) count = 2;
        if (f >= 1f) count = 3;
        if (o == null) count = 4;
        if (o != this) count = 5;
        if (c == 'x') count = 6;
        if (b == bar) count = 7;
        if (!b) count = 8;
        if (o instanceof String) count = 9;
    }
}
