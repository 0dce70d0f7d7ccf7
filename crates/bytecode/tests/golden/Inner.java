class Inner {
    private int total;
    static int shared = 4;

    class Member {
        int own;
        void add(int x) {
            own = x;
            total += x;
            shared = total;
            Inner.this.total = own;
        }
    }

    static class Nested {
        int shared;
        Nested(int shared) { this.shared = shared; Inner.shared = shared; }
    }

    Runnable anonymous(final int y) {
        return new Runnable() {
            @Override public void run() { total = y; }
        };
    }
}
