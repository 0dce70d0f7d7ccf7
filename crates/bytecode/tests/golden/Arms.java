class Arms {
    int field;

    static int arrows(int n) {
        int p = switch (n % 3) {
            case 0 -> n + 1; case 1 -> n * 2;
            case 2 -> {
                int k = n - 1;
                yield k;
            }
            default -> n + 100;
        };
        return p;
    }

    static int yields(String s, int n) {
        int v = 1 + switch (s) {
            case "a":
                yield n;
            case "b":
                n++;
            default:
                yield n > 3
                    ? 7
                    : 8;
        };
        return v;
    }

    static String returned(int n) {
        return switch (n) {
            case 0 -> "zero";
            case 1 -> n > 4
                ? "four"
                : "less";
            default -> Integer.toString(n);
        };
    }

    static int withFinally(int n, int[] log) {
        try {
            return n > 0
                ? n
                : -n;
        } finally {
            log[0] = n;
        }
    }

    static boolean both(Arms a, Arms b) {
        boolean held = a.test(1)
            && b.test(2)
            && a.test(3);
        boolean either = a.test(1)
            || b.test(2);
        return held
            || b.test(4);
    }

    static int either(Arms a, int x, int y) {
        int v = a.test(x)
            || a.test(y) ? x
            : y;
        return v;
    }

    boolean test(int n) {
        return n > field;
    }

    void put(int n, int[] into) {
        this.field = n > 0
            ? n
            : 0;
        into[n] = n > 1
            ? field
            : into[0];
    }

    static String concat(Arms a, int n) {
        String s = "a"
            + a.test(n)
            + (n > 0
                ? "p"
                : "q")
            + n;
        String t = s
            .trim()
            .concat("x");
        return s
            .concat(t)
            .trim();
    }

    static int plain(int n) {
        int v;
        if (n > 0) {
            v = 1;
        } else {
            v = 2;
        }
        for (int i = 0; i < n; i++) {
            v += i;
        }
        return v;
    }
}
