import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Scope;

/** Beans of a shop. The tax is added twice, since both beans add it. */
public class Billing {
    static class Tax {
        @Value("19")
        private int percent;

        double withTax(double price) {
            return price * (100 + percent) / 100;
        }
    }

    static class Invoice {
        @Autowired
        private Tax tax;
        private double total;

        void add(double price) {
            total += tax.withTax(price);
        }

        double total() {
            double payable = tax.withTax(total);
            return payable;
        }
    }

    @Bean
    public Tax tax() {
        return new Tax();
    }

    @Bean
    @Scope("prototype")
    public Invoice invoice() {
        return new Invoice();
    }

    public static void main(String[] args) {
        try (var beans = new AnnotationConfigApplicationContext(Billing.class)) {
            Invoice invoice = beans.getBean(Invoice.class);
            invoice.add(100);
            invoice.add(50);
            double total = invoice.total();
            System.out.println("total " + total);
            if (total > 180) {
                throw new IllegalStateException("total is " + total);
            }
        }
    }
}
