import java.util.ArrayList;
import java.util.List;

/** Values that a page could take for something else than text. */
public class Hostile {
    static final List<String> LINES = new ArrayList<>();

    String shown = "";

    static String show(Hostile page, String text) {
        page.shown = text;
        LINES.add(text);
        String shown = page.shown + "!";
        return shown;
    }

    public static void main(String[] arguments) {
        Hostile page = new Hostile();
        show(page, "<img src=x onerror=\"window.hacked=1;alert(1)\"><b><u>bold</u></b>");
        show(page, "</script><script>window.hacked=1;alert(2)</script>");
        show(page, "bell \7, escape \33[31m, zero \0, end");
        show(page, "left \u202e to right \u2066 and on");
        throw new IllegalStateException("<img src=x onerror=\"window.hacked=1\">");
    }
}
