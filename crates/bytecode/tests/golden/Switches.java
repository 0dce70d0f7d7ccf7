class Switches {
    enum Color { RED, GREEN, BLUE }
    int n;

    void table(int x) {
        switch (x) {
            case 1:
                n = 10;
                break;
            case 2:
            case 3:
                n = 20;
            case 5:
                n = 30;
                break;
            default:
                n = 40;
        }
    }

    void lookup(int x) {
        switch (x * 2) {
            case 1000 -> n = 1;
            case -7, 100000 -> n = 2;
        }
    }

    int expression(int x) {
        int y = switch (x) {
            case 0 -> 1;
            case 1 -> n;
            default -> -1;
        };
        return y;
    }

    void text(String s) {
        switch (s) {
            case "one":
                n = 1;
                break;
            case "two":
                n = 2;
                break;
            default:
                n = 3;
        }
    }

    void colors(Color c) {
        switch (c) {
            case RED -> n = 1;
            case BLUE -> n = 2;
            default -> n = 3;
        }
    }

    int characters(char c) {
        switch (c) {
            case 'a':
            case '\n':
                return 1;
            case '\'':
                return 2;
            default:
                return 3;
        }
    }
}
