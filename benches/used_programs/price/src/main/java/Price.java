/** A price in cents. Rounding is forgotten, so a third of a price loses a cent. */
public class Price {
    private final long cents;

    Price(long cents) {
        this.cents = cents;
    }

    Price part(int of) {
        long share = cents / of;
        return new Price(share);
    }

    long cents() {
        return cents;
    }
}
