import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class PriceTest {
    @Test
    public void thirdIsRounded() {
        Price third = new Price(200).part(3);
        long got = third.cents();
        assertEquals(67, got);
    }
}
