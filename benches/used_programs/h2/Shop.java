import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

/** A query calls a method of this class. The customer `vip-7` gets too small a discount. */
public class Shop {
    public static int discounted(int price, String customer) {
        int rate = 10;
        if (customer.startsWith("VIP")) {
            rate = 25;
        }
        return price - price * rate / 100;
    }

    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(args[0]);
                Statement statement = connection.createStatement()) {
            statement.execute(args[1]);
            statement.execute("create table orders(customer varchar(20), price int)");
            statement.execute("insert into orders values ('VIP-1', 200)");
            statement.execute("insert into orders values ('vip-7', 80)");
            statement.execute("insert into orders values ('Tim', 50)");
            ResultSet sums = statement.executeQuery("select sum(discounted(price, customer)) from orders");
            sums.next();
            int total = sums.getInt(1);
            System.out.println("total " + total);
            if (total != 255) {
                throw new IllegalStateException("total is " + total);
            }
        }
    }
}
