//! Streams and files.

use crate::facts::{Arrays, Reads, Writes};
use crate::row::{Row, row};

/// A method that only reads its array arguments.
const fn reads(class: &'static str, name: &'static str) -> Row {
    row(class, name).arrays(Arrays::Read)
}

pub(super) const ROWS: &[Row] = &[
    // Printed text does not become a value of the program, unless the stream writes to an object of the
    // program.
    row("java.io.PrintStream", "*").writes(Writes::Output),
    row("java.io.BufferedOutputStream", "*").writes(Writes::Output),
    row("java.io.FileOutputStream", "*").writes(Writes::Output),
    row("java.io.ByteArrayOutputStream", "*").writes(Writes::Output),
    // The text of a writer can become that of a buffer, which the program reads.
    row("java.io.PrintWriter", "*").writes(Writes::Objects),
    row("java.io.BufferedWriter", "*").writes(Writes::Objects),
    row("java.io.OutputStreamWriter", "*").writes(Writes::Objects),
    row("java.io.FileWriter", "*").writes(Writes::Objects),
    row("java.io.StringWriter", "*").writes(Writes::Objects),
    row("java.io.StringWriter", "toString").reads(Reads::Everything).writes(Writes::Nothing),
    row("java.io.CharArrayWriter", "*").writes(Writes::Objects),
    reads("java.io.PrintStream", "print"),
    reads("java.io.PrintStream", "println"),
    reads("java.io.PrintStream", "printf"),
    reads("java.io.PrintStream", "format"),
    reads("java.io.PrintStream", "write"),
    reads("java.io.PrintWriter", "print"),
    reads("java.io.PrintWriter", "println"),
    reads("java.io.PrintWriter", "printf"),
    reads("java.io.PrintWriter", "format"),
    reads("java.io.PrintWriter", "write"),
    reads("java.io.OutputStream", "write"),
    reads("java.io.BufferedOutputStream", "write"),
    reads("java.io.FileOutputStream", "write"),
    reads("java.io.DataOutputStream", "write"),
    reads("java.io.Writer", "write"),
    reads("java.io.BufferedWriter", "write"),
    reads("java.io.OutputStreamWriter", "write"),
    reads("java.io.StringWriter", "write"),
    reads("java.nio.file.Path", "of"),
    reads("java.nio.file.Paths", "get"),
    reads("java.nio.file.Files", "*"),
];
