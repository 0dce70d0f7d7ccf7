import java.io.IOException;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.handler.AbstractHandler;

/** A shop's server on port args[0]. The postage of heavy parcels is forgotten. */
public class Checkout extends AbstractHandler {
    private int postage;

    @Override
    public void handle(String path, Request base, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        int weight = Integer.parseInt(request.getParameter("weight"));
        if (weight < 1000) {
            postage = 3;
        } else if (weight < 5000) {
            postage = 7;
        }
        int price = Integer.parseInt(request.getParameter("price")) + postage;
        response.getWriter().println("to pay " + price);
        base.setHandled(true);
    }

    public static void main(String[] args) throws Exception {
        Server server = new Server(Integer.parseInt(args[0]));
        server.setHandler(new Checkout());
        server.start();
        System.out.println("ready");
        server.join();
    }
}
