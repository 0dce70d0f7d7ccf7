/** A little of everything that rewriting has to get right. */
class Golden {
    int count;
    long total;

    Golden(int count) {
        super();
        this.count = count;
    }

    int branches(int x) {
        if (x > 3 && x != 7) {
            return x;
        }
        switch (x) {
            case 1:
                total = x;
                break;
            case 2:
                count = 2;
            default:
                x++;
        }
        return x;
    }

    static int loopsToTheStart(int n) {
        do {
            n--;
        } while (n > 0);
        return n;
    }

    static void stores(long[] longs, Object[] objects) {
        longs[0] = 1;
        objects[1] = "one";
    }

    int handles(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
