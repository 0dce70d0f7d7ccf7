class DoWhile {
    int n;

    // The paper's 4.1.3: the body depends on the if the first time, on the loop's condition afterwards.
    void ambiguous(boolean start, int limit) {
        if (start) {
            do {
                n++;
            } while (n < limit);
        }
        n = 0;
    }

    void both(boolean a) {
        do {
            n++;
        } while (a && n < 5 || n == 7);
    }
}
