import java.util.ArrayList;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** Collects the links of pages. Links of one page are lost, because its list is thought to be closed. */
public class Pages {
    static List<String> links(Document page, boolean closed) {
        List<String> links = new ArrayList<>();
        for (Element link : page.select("a[href]")) {
            if (!closed) {
                links.add(link.attr("href"));
            }
        }
        return links;
    }

    public static void main(String[] args) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append("<p>See <a href='/").append(i).append("'>page ").append(i).append("</a></p>");
        }
        List<String> links = links(Jsoup.parse(text.toString()), true);
        System.out.println(links.size());
    }
}
