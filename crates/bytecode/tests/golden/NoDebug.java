// javac: -g:lines
class NoDebug {
    int n;

    int f(int x, long l) {
        int y = x * 2;
        if (y > n) {
            y = n;
        }
        for (int i = 0; i < y; i++) n += i;
        return y;
    }
}
