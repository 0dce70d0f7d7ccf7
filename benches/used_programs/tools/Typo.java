class Typo {
    int sum(int[] prices) {
        int sum = 0;
        for (int price : prices) {
            sum += prise;
        }
        return sum;
    }
}
