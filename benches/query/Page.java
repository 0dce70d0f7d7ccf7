import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Parses a page with this many links, and resolves every thousandth. Without a base address it is empty. */
public class Page {
    public static void main(String[] args) {
        int links = Integer.parseInt(args[0]);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < links; i++) {
            text.append("<p>See <a href='/about/").append(i).append("'>about us</a>.</p>\n");
        }
        Document page = Jsoup.parse(text.toString());
        int at = 0;
        int empty = 0;
        for (Element link : page.select("a")) {
            if (at++ % 1000 == 0 && link.absUrl("href").isEmpty()) {
                empty++;
            }
        }
        System.out.println(empty);
    }
}
