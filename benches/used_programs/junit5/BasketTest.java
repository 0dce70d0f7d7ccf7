import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BasketTest {
    @ParameterizedTest
    @ValueSource(ints = {5, 0})
    void sums(int card) {
        Basket.Prices prices = mock(Basket.Prices.class);
        when(prices.of("rose")).thenReturn(3);
        when(prices.of("card")).thenReturn(card);
        when(prices.of("vase")).thenReturn(20);
        Basket basket = new Basket();
        for (String name : new String[] {"rose", "card", "vase"}) {
            basket.add(name);
        }
        int total = basket.total(prices);
        assertEquals(23 + card, total);
    }
}
