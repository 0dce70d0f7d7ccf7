import java.util.ArrayList;
import java.util.List;

/** A premium customer gets no discount: the condition is the wrong way round. */
public class Inverted {
    static class Customer {
        final String name;
        final boolean premium;

        Customer(String name, boolean premium) {
            this.name = name;
            this.premium = premium;
        }
    }

    static class Invoice {
        final List<String> discounts = new ArrayList<>();
    }

    static Invoice bill(Customer customer) {
        Invoice invoice = new Invoice();
        if (!customer.premium) { // the defect
            reward(invoice);
        }
        return invoice;
    }

    static void reward(Invoice invoice) {
        invoice.discounts.add("10%");
    }

    public static void main(String[] args) {
        Invoice invoice = bill(new Customer("Ada", true));
        System.out.println(invoice.discounts);
    }
}
