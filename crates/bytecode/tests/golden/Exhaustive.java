class Exhaustive {
    enum Level { LOW, MID, HIGH }

    int assigned(Level level) {
        int rate = switch (level) {
            case LOW -> 1;
            case MID -> 2;
            case HIGH -> 3;
        };
        return rate;
    }

    int own(Level level) {
        int rate = switch (level) {
            case LOW -> 1;
            default ->
                throw new IncompatibleClassChangeError();
        };
        return rate;
    }
}
