class Variables {
    int n;

    void scopes(boolean c) {
        {
            int x = 1;
            n = x;
        }
        {
            int x = 2;
            n = x;
        }
    }

    int split(boolean c) {
        int x;
        if (c) {
            x = 1;
            n = x;
        } else {
            x = 2;
        }
        return x;
    }

    void parameter(int p, long q) {
        p = p + 1;
        q++;
        n = p++;
        for (int i = 0; i < p; i++) {
            int inLoop = i;
            n = inLoop;
        }
        for (int i = 9; i > p; i--) n = i;
    }

    void caught() {
        try {
            n = 1;
        } catch (RuntimeException e) {
            e = null;
        }
    }
}
