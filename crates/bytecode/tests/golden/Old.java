// javac: -g --release 8
class Old {
    private int n;
    String s;
    class In { int get() { return n; } }
    void f(int x, String t) {
        s = "a" + x + t;
        Object o = new In();
        if (o.equals(t)) s = t;
    }
}
