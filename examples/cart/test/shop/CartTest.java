package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** The second test fails. */
public class CartTest {
    @Test
    public void pens() {
        Cart cart = new Cart();
        cart.add("pen", 3, 150);
        assertEquals(450, cart.total());
    }

    @Test
    public void desk() {
        Cart cart = new Cart();
        cart.add("desk", 1, 10_000);
        assertEquals(9_000, cart.total());
    }
}
