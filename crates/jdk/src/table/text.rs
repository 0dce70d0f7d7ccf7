//! Builders and streams: the methods whose own code changes a text or prints.
//!
//! A row stands for a method that does the work, or for one that calls such a method of the same object: the
//! outermost one counts. A method with another descriptor than these rows name calls one of them.

use crate::facts::{Arrays, Contents, Counts, Reads, TextChange, Writes};
use crate::row::{Row, row};

const BUILDER: &str = "java.lang.AbstractStringBuilder";
const CHARS: &str = "java.io.CharArrayWriter";
const BYTES: &str = "java.io.ByteArrayOutputStream";
const PRINT_STREAM: &str = "java.io.PrintStream";
const PRINT_WRITER: &str = "java.io.PrintWriter";
const BUFFERED_WRITER: &str = "java.io.BufferedWriter";
const STREAM_WRITER: &str = "java.io.OutputStreamWriter";
const BUFFERED: &str = "java.io.BufferedOutputStream";
const FILTER: &str = "java.io.FilterOutputStream";
const FILE: &str = "java.io.FileOutputStream";

/// A text can change without changing its length.
const MAY: Contents = Contents::Changed(Counts::May);

/// A method that changes a text in memory.
const fn changes(class: &'static str, name: &'static str, change: TextChange) -> Row {
    row(class, name).text(change)
}

/// A method that prints the characters that it takes.
const fn prints(class: &'static str, descriptor: &'static str) -> Row {
    row(class, "write").is(descriptor).text(TextChange::PrintedChars)
}

/// A method that prints the bytes that it takes.
const fn writes(class: &'static str, descriptor: &'static str) -> Row {
    row(class, "write").is(descriptor).text(TextChange::PrintedBytes)
}

/// A method that prints a line.
const fn ends_line(class: &'static str, name: &'static str, descriptor: &'static str) -> Row {
    row(class, name).is(descriptor).text(TextChange::PrintedLine)
}

/// A method that passes on what was printed before.
const fn flushes(class: &'static str, name: &'static str) -> Row {
    keeps(class, name).text(TextChange::Flushed)
}

/// A method that leaves a text, or what was printed on a stream, as it is.
const fn keeps(class: &'static str, name: &'static str) -> Row {
    row(class, name).contents(Contents::Kept)
}

/// Such a method that reads the text.
const fn looks(class: &'static str, name: &'static str) -> Row {
    keeps(class, name).reads(Reads::Objects).writes(Writes::Nothing)
}

/// Such a method that reads what a stream may have printed on the receiver.
const fn looks_into_arrays(class: &'static str, name: &'static str) -> Row {
    keeps(class, name).reads(Reads::Everything).writes(Writes::Nothing)
}

pub(super) const ROWS: &[Row] = &[
    looks(BUILDER, "capacity"),
    looks(BUILDER, "charAt"),
    keeps(BUILDER, "chars"),
    looks(BUILDER, "codePoint*"),
    keeps(BUILDER, "compareTo"),
    keeps(BUILDER, "ensureCapacity*"),
    keeps(BUILDER, "get*"),
    keeps(BUILDER, "indexOf"),
    keeps(BUILDER, "lastIndexOf"),
    looks(BUILDER, "length"),
    keeps(BUILDER, "offsetByCodePoints"),
    looks(BUILDER, "subSequence"),
    looks(BUILDER, "substring"),
    keeps(BUILDER, "toString"),
    keeps(BUILDER, "trimToSize"),
    keeps(CHARS, "close"),
    keeps(CHARS, "flush"),
    keeps(CHARS, "size"),
    looks_into_arrays(CHARS, "toCharArray"),
    looks_into_arrays(CHARS, "toString"),
    keeps(CHARS, "writeTo"),
    keeps(BYTES, "close"),
    looks_into_arrays(BYTES, "size"),
    looks_into_arrays(BYTES, "toByteArray"),
    looks_into_arrays(BYTES, "toString"),
    keeps(BYTES, "writeTo"),
    keeps(PRINT_STREAM, "<init>"),
    keeps(PRINT_STREAM, "charset").since(18),
    keeps(PRINT_STREAM, "checkError"),
    keeps(PRINT_STREAM, "clearError"),
    keeps(PRINT_STREAM, "setError"),
    keeps(PRINT_WRITER, "<init>"),
    keeps(PRINT_WRITER, "checkError"),
    keeps(PRINT_WRITER, "clearError"),
    keeps(PRINT_WRITER, "setError"),
    keeps(BUFFERED_WRITER, "<init>"),
    keeps(BUFFERED_WRITER, "flushBuffer"),
    keeps(STREAM_WRITER, "<init>"),
    keeps(STREAM_WRITER, "flushBuffer"),
    keeps(STREAM_WRITER, "getEncoding"),
    keeps(BUFFERED, "<init>"),
    keeps(FILE, "<init>"),
    keeps(FILE, "close"),
    keeps(FILE, "getChannel"),
    keeps(FILE, "getFD"),
    changes(BUILDER, "append*", TextChange::Appended),
    changes(BUILDER, "repeat", TextChange::Appended).since(21),
    changes(BUILDER, "insert", TextChange::Inserted(1)),
    changes(BUILDER, "delete", TextChange::Deleted(1)),
    changes(BUILDER, "deleteCharAt", TextChange::Deleted(1)),
    changes(BUILDER, "replace", TextChange::Replaced(1, 2)).contents(MAY),
    changes(BUILDER, "setCharAt", TextChange::Set(1)).contents(MAY),
    changes(BUILDER, "setLength", TextChange::Resized),
    changes(BUILDER, "reverse", TextChange::Rewritten).contents(MAY),
    changes(CHARS, "write", TextChange::Appended).arrays(Arrays::Read),
    changes(CHARS, "reset", TextChange::Resized),
    changes(BYTES, "write", TextChange::Appended).arrays(Arrays::Read),
    changes(BYTES, "writeBytes", TextChange::Appended).arrays(Arrays::Read),
    changes(BYTES, "reset", TextChange::Resized),
    writes(PRINT_STREAM, "(I)V"),
    writes(PRINT_STREAM, "([B)V"),
    writes(PRINT_STREAM, "([BII)V"),
    prints(PRINT_STREAM, "(Ljava/lang/String;)V"),
    prints(PRINT_STREAM, "([C)V"),
    ends_line(PRINT_STREAM, "writeln", "(Ljava/lang/String;)V"),
    ends_line(PRINT_STREAM, "writeln", "([C)V"),
    ends_line(PRINT_STREAM, "newLine", "()V"),
    flushes(PRINT_STREAM, "flush"),
    flushes(PRINT_STREAM, "close"),
    prints(PRINT_WRITER, "(I)V"),
    prints(PRINT_WRITER, "([CII)V"),
    prints(PRINT_WRITER, "(Ljava/lang/String;II)V"),
    ends_line(PRINT_WRITER, "newLine", "()V"),
    flushes(PRINT_WRITER, "flush"),
    flushes(PRINT_WRITER, "close"),
    prints(BUFFERED_WRITER, "(I)V"),
    prints(BUFFERED_WRITER, "([CII)V"),
    prints(BUFFERED_WRITER, "(Ljava/lang/String;II)V"),
    flushes(BUFFERED_WRITER, "flush"),
    flushes(BUFFERED_WRITER, "close"),
    prints(STREAM_WRITER, "(I)V"),
    prints(STREAM_WRITER, "([CII)V"),
    prints(STREAM_WRITER, "(Ljava/lang/String;II)V"),
    flushes(STREAM_WRITER, "flush"),
    flushes(STREAM_WRITER, "close"),
    writes(BUFFERED, "(I)V"),
    writes(BUFFERED, "([BII)V"),
    flushes(BUFFERED, "flush"),
    flushes(FILTER, "flush"),
    flushes(FILTER, "close"),
    writes(FILE, "(I)V"),
    writes(FILE, "([B)V"),
    writes(FILE, "([BII)V"),
];
