import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Lists the names in a directory, or would, if the one flag that matters were set. */
public class FileLister {
    private File dir;
    private List<String> list;
    private List<String> args;
    private boolean active;

    public static void main(String[] args) {
        new FileLister().run(args);
    }

    void run(String[] args) {
        init();
        setArgs(args);
        if (active) {
            addItem();
        }
        printItems();
    }

    void init() {
        dir = new File("files");
        list = new ArrayList<>();
        args = new ArrayList<>();
        // the defect: the names are wanted
        active = false;
    }

    void setArgs(String[] as) {
        for (String a : as) {
            args.add(a);
        }
    }

    /** Adds the file names, in a fixed order. */
    void addItem() {
        List<String> d = this.list;
        String[] names = dir.list();
        if (names == null) {
            return;
        }
        Arrays.sort(names);
        for (String n : names) {
            d.add(n);
        }
    }

    void printItems() {
        List<String> s = this.list;
        System.out.println(s.toString());
    }

    void addNewItem(String n) {
        list.add(n);
    }
}
