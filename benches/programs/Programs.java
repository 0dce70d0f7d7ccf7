import java.io.Reader;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/** Runs real parsers and a compiler on one large document each, and prints how long that took. */
public class Programs {
    static String html(int rows) {
        StringBuilder text = new StringBuilder("<html><head><title>rows</title></head><body><table>\n");
        for (int i = 0; i < rows; i++) {
            text.append("<tr class='r").append(i % 7).append("'><td>").append(i).append("</td><td><b>row &amp; ")
                .append(Integer.toHexString(i * 31)).append("</b><br>text <a href=\"/r?n=").append(i).append("\">more</a></td></tr>\n");
        }
        return text.append("</table></body></html>").toString();
    }

    static String xml(int records) {
        StringBuilder text = new StringBuilder("<?xml version='1.0'?>\n<records>\n");
        for (int i = 0; i < records; i++) {
            text.append("  <record id='").append(i).append("' kind=\"k").append(i % 5).append("\"><name>record &lt;").append(i)
                .append("&gt;</name><value>").append(i * 17).append("</value></record>\n");
        }
        return text.append("</records>\n").toString();
    }

    static String java(int methods) {
        StringBuilder text = new StringBuilder("class Large {\n    int total;\n");
        for (int i = 0; i < methods; i++) {
            text.append("    int m").append(i).append("(int a, String s) {\n        int x = a * ").append(i)
                .append(" + s.length();\n        for (int i = 0; i < x; i++) {\n            total += i % 3 == 0 ? x : -i;\n")
                .append("            if (total > 100 && s.isEmpty()) {\n                return x + total;\n            }\n        }\n")
                .append("        return s.substring(x).length();\n    }\n");
        }
        return text.append("}\n").toString();
    }

    static void jsoup(String text) {
        org.jsoup.Jsoup.parse(text);
    }

    static void htmlcleaner(String text) throws Exception {
        new org.htmlcleaner.HtmlCleaner().clean(text);
    }

    /**
     * It does not get the text itself: at the end the debugger reads the variables here, and 20 MB would take
     * 100 ms.
     */
    static void kxml2(Reader text) throws Exception {
        org.kxml2.io.KXmlParser parser = new org.kxml2.io.KXmlParser();
        parser.setInput(text);
        int events = 0;
        while (parser.next() != org.kxml2.io.KXmlParser.END_DOCUMENT) {
            events++;
        }
        System.out.println(events); // <- parsed
    }

    static void javac(String text, Path folder) throws Exception {
        Path file = folder.resolve("Large.java");
        Files.writeString(file, text);
        int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), file.toString());
        if (failed != 0) {
            throw new AssertionError("it does not compile");
        }
    }

    public static void main(String[] args) throws Exception {
        int size = Integer.parseInt(args[1]);
        if (List.of("sort", "avl", "number", "known", "fresh").contains(args[0])) {
            long before = System.nanoTime();
            int result = switch (args[0]) {
                case "sort" -> Classics.sorted(size);
                case "avl" -> Classics.tree(size);
                default -> Classics.taken(args[0], size);
            };
            System.out.println("took " + (System.nanoTime() - before) / 1e6);
            System.out.println(result);
            return;
        }
        String text = args[0].equals("kxml2") ? xml(size) : args[0].equals("javac") ? java(size) : html(size);
        Path folder = Path.of(args[2]);
        long before = System.nanoTime();
        switch (args[0]) {
            case "jsoup" -> jsoup(text);
            case "htmlcleaner" -> htmlcleaner(text);
            case "kxml2" -> kxml2(new StringReader(text));
            default -> javac(text, folder);
        }
        System.out.println("took " + (System.nanoTime() - before) / 1e6);
        System.out.println(text.length()); // <- ended
    }
}
