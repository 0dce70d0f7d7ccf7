class Ternary {
    int max(int a, int b) {
        return a > b ? a : b;
    }

    String name(int x) {
        String s = x < 0 ? "neg" : x == 0 ? "zero" : "pos";
        return s;
    }

    int both(boolean a, boolean b, int x) {
        int y = a && b ? x + 1 : x - 1;
        return (a || b ? y : x) * 2;
    }

    void pass(boolean a) {
        take(a ? 1 : 2, !a);
    }

    void take(int x, boolean b) {}
}
