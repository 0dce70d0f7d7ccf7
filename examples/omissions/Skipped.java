import java.util.ArrayList;
import java.util.List;

/** Adds up readings. One that is no number should cost only itself; it costs the report too. */
public class Skipped {
    static class Report {
        final List<String> lines = new ArrayList<>();
    }

    static int total(String[] readings) {
        int total = 0;
        for (String reading : readings) {
            total += Integer.parseInt(reading); // the defect: nobody catches it here
        }
        return total;
    }

    static void fill(Report report, String[] readings) {
        try {
            int total = total(readings);
            report.lines.add("total " + total);
        } catch (NumberFormatException e) {
            System.err.println("skipped: " + e.getMessage());
        }
    }

    public static void main(String[] args) {
        Report report = new Report();
        fill(report, new String[] {"3", "n/a", "4"});
        System.out.println(report.lines);
    }
}
