//! How methods that are not recorded treat the arrays passed to them.

/// Methods that only read the arrays passed to them and retain none: JDK class and method names. An empty
/// list stands for all methods of the class.
const READERS: [(&str, &[&str]); 34] = [
    (
        "java.util.Arrays",
        &[
            "toString",
            "deepToString",
            "equals",
            "deepEquals",
            "hashCode",
            "deepHashCode",
            "copyOf",
            "copyOfRange",
            "stream",
            "binarySearch",
            "compare",
            "mismatch",
        ],
    ),
    ("java.lang.String", &["<init>", "valueOf", "copyValueOf", "format", "formatted", "join"]),
    ("java.lang.StringBuilder", &["append", "insert"]),
    ("java.lang.StringBuffer", &["append", "insert"]),
    ("java.io.PrintStream", &["print", "println", "printf", "format", "write"]),
    ("java.io.PrintWriter", &["print", "println", "printf", "format", "write"]),
    ("java.io.OutputStream", &["write"]),
    ("java.io.BufferedOutputStream", &["write"]),
    ("java.io.FileOutputStream", &["write"]),
    ("java.io.DataOutputStream", &["write"]),
    ("java.io.ByteArrayOutputStream", &["write", "writeBytes"]),
    ("java.io.Writer", &["write"]),
    ("java.io.BufferedWriter", &["write"]),
    ("java.io.OutputStreamWriter", &["write"]),
    ("java.io.StringWriter", &["write"]),
    ("java.io.CharArrayWriter", &["write"]),
    ("java.lang.Character", &["codePointAt", "codePointBefore", "codePointCount", "offsetByCodePoints"]),
    ("java.util.List", &["of"]),
    ("java.util.Set", &["of"]),
    ("java.util.EnumSet", &["of"]),
    ("java.util.Objects", &["hash"]),
    ("java.util.Collections", &["addAll"]),
    ("java.util.stream.IntStream", &["of"]),
    ("java.util.stream.LongStream", &["of"]),
    ("java.util.stream.DoubleStream", &["of"]),
    ("java.util.stream.Stream", &["of"]),
    ("java.nio.file.Path", &["of"]),
    ("java.nio.file.Paths", &["get"]),
    ("java.nio.file.Files", &[]),
    ("java.lang.Class", &[]),
    ("java.lang.Thread", &["setStackTrace"]),
    ("java.lang.Throwable", &["setStackTrace"]),
    ("java.security.MessageDigest", &["update", "isEqual"]),
    ("java.util.zip.CRC32", &["update"]),
];

/// Whether a method only reads the arrays passed to it. The class name has dots.
pub fn only_reads(class: &str, name: &str) -> bool {
    READERS.iter().any(|(of, names)| *of == class && (names.is_empty() || names.contains(&name)))
}
