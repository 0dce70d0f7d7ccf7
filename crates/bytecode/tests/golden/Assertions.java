class Assertions {
    int n;

    void alone(int x) {
        assert false : "never " + x;
        n = x;
    }

    void after(boolean c, int x) {
        if (c) assert x > 0;
        n = x;
    }

    void chosen(boolean c, int x) {
        assert c ? x > 0 : x < 0;
        n = x;
    }

    void called(String s) {
        assert !s.isEmpty() || n == 1 && s.length() > n;
        n = 2;
    }

    void turns(int x) {
        while (x > 0) {
            assert x != 5;
            x--;
        }
    }
}
