// javac: -g:none
class NoLines {
    int n;
    void f(boolean b) { if (b) n = 1; }
}
