class Concat {
    String s;

    void join(int x, char c, String t) {
        s = "x=" + x;
        s = t + c + "!" + (x + 1);
        s += t;
        String empty = "" + x;
        System.out.println("done " + s + "\n");
    }
}
