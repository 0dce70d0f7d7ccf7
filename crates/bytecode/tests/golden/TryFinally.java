class TryFinally {
    int n;

    void caught() {
        try {
            risky();
            n = 1;
        } catch (IllegalStateException e) {
            n = 2;
        } catch (RuntimeException e) {
            if (n == 1) {
                n = 3;
            }
        }
        n = 4;
    }

    int finallyCopies(boolean early) {
        try {
            if (early) {
                return 1;
            }
            risky();
        } finally {
            n = 5;
        }
        return 2;
    }

    void loop(int tries) {
        for (int i = 0; i < tries; i++) {
            try {
                risky();
                break;
            } catch (RuntimeException e) {
                n = i;
            }
        }
    }

    void rethrow() {
        try {
            risky();
        } catch (RuntimeException e) {
            throw new IllegalStateException("wrapped", e);
        }
    }

    void risky() { if (n > 3) throw new RuntimeException(); }
}
