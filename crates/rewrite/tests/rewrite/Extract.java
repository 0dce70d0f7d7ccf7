import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies every so many of the classes of the VM's own modules to a folder, a folder for each module. */
public class Extract {
    public static void main(String[] args) throws Exception {
        Path to = Path.of(args[0]);
        int stride = Integer.parseInt(args[1]);
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        List<Path> classes;
        try (Stream<Path> all = Files.walk(modules)) {
            classes = all.filter(p -> p.toString().endsWith(".class") && !p.toString().endsWith("-info.class")).sorted().toList();
        }
        for (int i = 0; i < classes.size(); i += stride) {
            Path file = to.resolve(modules.relativize(classes.get(i)).toString());
            Files.createDirectories(file.getParent());
            Files.write(file, Files.readAllBytes(classes.get(i)));
        }
    }
}
