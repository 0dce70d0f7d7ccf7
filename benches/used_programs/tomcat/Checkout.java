import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** A shop's server on port args[0]. The postage of heavy parcels is forgotten. */
public class Checkout extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int weight = Integer.parseInt(request.getParameter("weight"));
        int postage = 0;
        if (weight < 1000) {
            postage = 3;
        } else if (weight < 5000) {
            postage = 7;
        }
        int price = Integer.parseInt(request.getParameter("price")) + postage;
        response.getWriter().println("to pay " + price);
    }

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        File base = java.nio.file.Files.createTempDirectory("checkout").toFile();
        base.deleteOnExit();
        tomcat.setBaseDir(base.getPath());
        tomcat.setPort(Integer.parseInt(args[0]));
        Context context = tomcat.addContext("", base.getPath());
        Tomcat.addServlet(context, "checkout", new Checkout());
        context.addServletMappingDecoded("/", "checkout");
        tomcat.getConnector();
        tomcat.start();
        System.out.println("ready");
        tomcat.getServer().await();
    }
}
