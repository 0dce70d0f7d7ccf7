class Endless {
    int n;

    int breaks(int n) {
        while (true) {
            n--;
            if (n < 3) {
                break;
            }
        }
        return n;
    }

    int returns(int n) {
        for (;;) {
            n--;
            if (n < 3 && n != 1) {
                n = 7;
                return n;
            }
        }
    }

    void throwsInside(int n) {
        while (true) {
            if (n < 3) {
                throw new IllegalStateException("low");
            }
            n--;
        }
    }

    int goesOn(int n) {
        while (true) {
            n--;
            if (n >= 3) {
                continue;
            }
            return n;
        }
    }

    int labelled(int n) {
        outer:
        while (true) {
            for (int i = 0; i < n; i++) {
                if (i == this.n) {
                    break outer;
                }
            }
            n++;
        }
        return n;
    }

    int ends(int n) {
        for (int i = 0; i < n; i++) {
            this.n += i;
        }
        while (n > 3 && this.n > 4
                || n == 2) {
            n--;
        }
        return n;
    }

    int turnsBack(int n) {
        do {
            n--;
        } while (n >= 3);
        return n;
    }

    void forEver() {
        while (true) {
            if (n > 3) {
                n--;
            }
            n++;
        }
    }

    int either(int n) {
        while (true) {
            if (n < 3 || n == this.n) {
                break;
            }
            n--;
        }
        return n;
    }

    int guarded(int n) {
        while (n > 3 && n != this.n || this.n == 4) {
            n--;
        }
        return n;
    }
}
