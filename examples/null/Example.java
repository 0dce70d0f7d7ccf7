import java.util.LinkedHashMap;
import java.util.Map;

/** A null that is born in one class, is handed through three methods of another, and fails in the last. */
public class Example {
    private final Map<String, String> settings = new LinkedHashMap<>();

    public Example() {
        settings.put("Host", "localhost");
        settings.put("Port", "8080");
    }

    public void m1() {
        FarAwayClass o = new FarAwayClass(settings);
        String result = o.doSomeThing("port");
        m2(result);
    }

    public void m2(String result) {
        String mode = settings.size() > 1 ? "several" : "single";
        mN(result, mode);
    }

    public void mN(String result, String mode) {
        if (result.equals("8080")) {
            System.out.println("the usual port, " + mode);
        } else {
            System.out.println("another port, " + mode);
        }
    }

    public static void main(String[] args) {
        new Example().m1();
    }
}

/** Looks a setting up. */
class FarAwayClass {
    private final Map<String, String> source;
    private String found;

    FarAwayClass(Map<String, String> source) {
        this.source = source;
        this.found = "";
    }

    public String doSomeThing(String name) {
        found = null;
        for (Map.Entry<String, String> entry : source.entrySet()) {
            // the defect: names differ in case, and should not matter
            if (entry.getKey().equals(name)) {
                found = entry.getValue();
            }
        }
        return found;
    }
}
