record Records(int x, String name) {
    static int made;

    Records {
        if (x < 0) {
            throw new IllegalArgumentException("negative: " + x);
        }
        made++;
    }

    Records moved(int dx) {
        return new Records(x + dx, name());
    }
}
