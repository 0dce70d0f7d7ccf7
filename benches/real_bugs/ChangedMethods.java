import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * Compiles files, one after another, in one VM. An input line has the class path, the file, the folder of its
 * new classes, the folder of the right ones and the version of Java or 0, separated by tabs. The reply is
 * "no" if the file does not compile, or "yes" with the methods whose code differs from the right classes, as
 * {@code package.Class$Nested.method(I)V}, separated by tabs.
 */
class ChangedMethods {
    /** A method's line in javap's output; its name is the last word before the parameters. */
    private static final Pattern METHOD = Pattern.compile("^  (?! ).*?([\\w$.]+)\\(.*\\).*;$");
    /** The line after it. */
    private static final String DESCRIPTOR = "    descriptor: ";

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split("\t");
            System.out.println(reply(parts[0], parts[1], Path.of(parts[2]), Path.of(parts[3]), parts[4]));
        }
    }

    private static String reply(String path, String file, Path made, Path right, String release)
        throws IOException {
        ToolProvider javac = ToolProvider.findFirst("javac").get();
        StringWriter errors = new StringWriter();
        PrintWriter said = new PrintWriter(errors);
        Files.createDirectories(made);
        List<String> options = new ArrayList<>(List.of("-g", "-proc:none", "-nowarn", "-encoding", "UTF-8",
            "-implicit:none", "-d", made.toString(), "-cp", path, file));
        if (!release.equals("0")) {
            options.addAll(List.of("--release", release));
        }
        if (javac.run(said, said, options.toArray(String[]::new)) != 0) {
            return "no";
        }
        Set<String> differing = new TreeSet<>();
        List<Path> classes;
        try (var files = Files.walk(made)) {
            classes = files.filter(f -> f.toString().endsWith(".class")).sorted().toList();
        }
        for (Path one : classes) {
            Path relative = made.relativize(one);
            String name = relative.toString().replace(File.separatorChar, '.').replaceAll("\\.class$", "");
            Path before = right.resolve(relative);
            Map<String, String> now = methods(one, name);
            Map<String, String> then = Files.exists(before) ? methods(before, name) : Map.of();
            Set<String> all = new TreeSet<>(now.keySet());
            all.addAll(then.keySet());
            for (String method : all) {
                if (!Objects.equals(now.get(method), then.get(method))) {
                    differing.add(method);
                }
            }
        }
        return "yes\t" + String.join("\t", differing);
    }

    /** The headers and code of a class's methods without numbers of constants, by name and descriptor. */
    private static Map<String, String> methods(Path file, String type) {
        StringWriter text = new StringWriter();
        PrintWriter to = new PrintWriter(text);
        ToolProvider.findFirst("javap").get().run(to, to, "-c", "-p", "-s", file.toString());
        Map<String, String> found = new TreeMap<>();
        String name = null;
        String method = null;
        StringBuilder code = new StringBuilder();
        for (String line : text.toString().split("\n")) {
            Matcher matcher = METHOD.matcher(line);
            boolean initialiser = line.equals("  static {};");
            if (initialiser || matcher.matches()) {
                if (method != null) {
                    found.put(method, code.toString());
                }
                code.setLength(0);
                code.append(line).append('\n');
                method = null;
                name = initialiser ? "<clinit>" : matcher.group(1);
                name = type + "." + (name.equals(type) ? "<init>" : name);
            } else if (method == null && name != null && line.startsWith(DESCRIPTOR)) {
                method = name + line.substring(DESCRIPTOR.length());
            } else {
                code.append(line.replaceAll("#\\d+", "#")).append('\n');
            }
        }
        if (method != null) {
            found.put(method, code.toString());
        }
        return found;
    }
}
