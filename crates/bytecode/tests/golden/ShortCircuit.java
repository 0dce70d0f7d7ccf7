class ShortCircuit {
    static class Rec { boolean bar; int n; }
    int hits;

    void or(Rec record, boolean cond) {
        if (record.bar || cond) {
            hits = 1;
        }
    }

    void and(Rec record, boolean cond) {
        if (record.bar && !cond && hits > 2) {
            hits = 2;
        }
    }

    void mixed(boolean a, boolean b, boolean c, boolean d) {
        if (a && b || c) hits = 3;
        if ((a || b) && (c || d)) hits = 4;
        if (!(a && b) || !c) hits = 5;
        if (a || b && c || d) hits = 6;
    }

    boolean value(int x, Rec r) {
        boolean inside = x > 0 && x < 10;
        boolean outside = !inside || r == null;
        return inside != outside && check(x);
    }

    void spread(Rec r, int x) {
        if (r != null
                && r.n > x
                && check(x)) {
            hits = 7;
        }
    }

    void nested(boolean a, boolean b) {
        if (a) {
            if (b) {
                hits = 8;
            }
        }
    }

    boolean check(int x) { return x == hits; }
}
