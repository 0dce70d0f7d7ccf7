class Loops {
    int total;

    void nested(int n) {
        for (int i = 0; i < n; i++) {
            for (int j = i; j > 0; j -= 2) {
                if (j == 5) continue;
                total += i * j;
            }
        }
    }

    void whileLoop(int n) {
        while (n > 0 && total < 100) {
            total++;
            n--;
        }
        done();
    }

    int labels(int[][] grid) {
        int found = -1;
        outer:
        for (int i = 0; i < grid.length; i++) {
            for (int j = 0; j < grid[i].length; j++) {
                if (grid[i][j] == 0) continue outer;
                if (grid[i][j] == 9) {
                    found = i;
                    break outer;
                }
            }
            total = i;
        }
        return found;
    }

    void forever() {
        for (;;) {
            total++;
            if (total > 10) {
                done();
            }
        }
    }

    void lastIf(int n) {
        while (n-- > 0) {
            if (n == 3) {
                done();
            }
        }
    }

    void done() {}
}
