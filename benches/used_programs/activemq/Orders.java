import javax.jms.Connection;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Orders that come through a message broker in this VM. Those of three parts lose the last. */
public class Orders {
    private int pieces;

    synchronized void take(String text) {
        String[] parts = text.split(";", 2);
        for (String part : parts) {
            int colon = part.indexOf(':');
            int end = part.indexOf(';');
            String count = end < 0 ? part.substring(colon + 1) : part.substring(colon + 1, end);
            pieces += Integer.parseInt(count);
        }
    }

    public static void main(String[] args) throws Exception {
        Orders orders = new Orders();
        CountDownLatch taken = new CountDownLatch(3);
        String broker = "vm://shop?broker.persistent=false&broker.useJmx=false";
        Connection connection = new ActiveMQConnectionFactory(broker).createConnection();
        connection.start();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("orders");
        Session reading = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        MessageConsumer consumer = reading.createConsumer(queue);
        consumer.setMessageListener((Message message) -> {
            try {
                orders.take(((TextMessage) message).getText());
            } catch (Exception failure) {
                throw new IllegalStateException(failure);
            }
            taken.countDown();
        });
        for (String order : new String[] {"rose:3;tulip:5", "rose:1", "rose:2;tulip:4;iris:6"}) {
            session.createProducer(queue).send(session.createTextMessage(order));
        }
        taken.await(20, TimeUnit.SECONDS);
        connection.close();
        System.out.println("pieces " + orders.pieces);
    }
}
