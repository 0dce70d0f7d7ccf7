/** A cached store should count its saves, as every store does. It overrides the method that counts. */
public class Forgetful {
    static class Statistics {
        int saves;
    }

    static class Store {
        final Statistics statistics;

        Store(Statistics statistics) {
            this.statistics = statistics;
        }

        void save(String text) {
            write(text);
            saved();
        }

        void write(String text) {
        }

        void saved() {
            statistics.saves++;
        }
    }

    static class CachedStore extends Store {
        String cache;

        CachedStore(Statistics statistics) {
            super(statistics);
        }

        @Override
        void saved() { // the defect: super.saved() is missing
            cache = null;
        }
    }

    public static void main(String[] args) {
        Statistics statistics = new Statistics();
        new CachedStore(statistics).save("text");
        System.out.println(statistics.saves);
    }
}
