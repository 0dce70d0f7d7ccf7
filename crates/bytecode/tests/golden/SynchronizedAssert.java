class SynchronizedAssert {
    Object foo;
    int n;

    void locked(Object lock) {
        synchronized (lock) {
            n++;
        }
        n = 2;
    }

    void check(int x) {
        assert foo != null;
        assert x > 0 && x < 10 : "out of range " + x;
        n = x;
    }
}
