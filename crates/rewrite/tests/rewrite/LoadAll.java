import java.nio.file.Files;
import java.nio.file.Path;

/** Loads and links the classes whose names stand in a file, and says which the VM does not take. */
public class LoadAll {
    public static void main(String[] args) throws Exception {
        int loaded = 0;
        for (String name : Files.readAllLines(Path.of(args[0]))) {
            try {
                // Asking for the methods links the class, and so verifies it; its initialiser does not run.
                Class.forName(name, false, LoadAll.class.getClassLoader()).getDeclaredMethods();
                loaded++;
            } catch (VerifyError | ClassFormatError | IncompatibleClassChangeError error) {
                System.out.println("refused " + name + " " + error.toString().lines().limit(12).toList());
            } catch (Throwable other) {
                // What it needs is not here; the class as it was would not load either.
                System.out.println("skipped " + name + " " + other);
            }
        }
        System.out.println("loaded " + loaded);
        Object counts = Class.forName("java.lang.QpProbe").getField("entered").get(null);
        System.out.println("entered " + counts);
    }
}
