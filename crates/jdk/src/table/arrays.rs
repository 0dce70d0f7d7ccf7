//! Methods that take arrays.

use crate::facts::Elements::{At, Counted, Range};
use crate::facts::{Arrays, Holds, Objects, Reads, Returns, Writes};
use crate::row::{Descriptor, Row, row};

/// A method that computes its result from array elements.
const fn computes(class: &'static str, name: &'static str) -> Row {
    reads(class, name).reads(Reads::Everything).writes(Writes::Nothing)
}

/// A method that only reads its array arguments.
const fn reads(class: &'static str, name: &'static str) -> Row {
    row(class, name).arrays(Arrays::Read)
}

const FUNCTION: &str = "(Ljava/util/function/IntFunction;";

pub(super) const ROWS: &[Row] = &[
    row("[]", "*").pure(true),
    row("[]", "clone").reads(Reads::Everything).writes(Writes::Nothing).returns(Returns::Copy),
    row("java.lang.System", "arraycopy").arrays(Arrays::Copied { to: 2, from: 3, count: 4 }),
    computes("java.util.Arrays", "toString"),
    computes("java.util.Arrays", "equals"),
    computes("java.util.Arrays", "hashCode"),
    computes("java.util.Arrays", "copyOf"),
    computes("java.util.Arrays", "copyOfRange"),
    reads("java.util.Arrays", "deepToString"),
    reads("java.util.Arrays", "deepEquals"),
    reads("java.util.Arrays", "deepHashCode"),
    reads("java.util.Arrays", "binarySearch"),
    reads("java.util.Arrays", "compare"),
    reads("java.util.Arrays", "mismatch"),
    reads("java.util.Arrays", "stream").writes(Writes::Nothing).holds(Holds::Read),
    row("java.util.Arrays", "asList").arrays(Arrays::Kept).writes(Writes::Nothing).holds(Holds::Written),
    row("java.util.Arrays", "fill").arrays(Arrays::Written(Range)),
    row("java.util.Arrays", "sort").arrays(Arrays::Written(Range)),
    row("java.util.Arrays", "parallelSort").arrays(Arrays::Written(Range)),
    row("java.nio.**", "wrap*").holds(Holds::Written),
    // These rows also describe `toArray` of program classes.
    row("java.util.**", "toArray").inherited(),
    row("java.util.**", "toArray").begins(FUNCTION).returns(Returns::Filled).inherited(),
    row("java.io.**", "read*").arrays(Arrays::Written(Counted)),
    row("java.io.InputStream", "read*").begins("([B").inherited(),
    row("java.io.Reader", "read*").begins("([C").inherited(),
    row("java.lang.reflect.Array", "*").arrays(Arrays::Written(At(1))),
    row("java.lang.reflect.Array", "set*").objects(Objects::Array),
    row("java.lang.invoke.VarHandle", "*").arrays(Arrays::Written(At(1))),
    // It can write a number of up to eight bytes.
    row("java.lang.invoke.VarHandle", "*").begins("([BI").arrays(Arrays::Written(At(8))),
    // A function is code of the program.
    row("java.util.function.**", "*").objects(Objects::Any),
    reads("java.lang.Character", "codePointAt"),
    reads("java.lang.Character", "codePointBefore"),
    reads("java.lang.Character", "codePointCount"),
    reads("java.lang.Character", "offsetByCodePoints"),
    reads("java.lang.StringBuilder", "append"),
    reads("java.lang.StringBuilder", "insert"),
    reads("java.lang.StringBuffer", "append"),
    reads("java.lang.StringBuffer", "insert"),
    reads("java.lang.Throwable", "setStackTrace"),
    reads("java.util.List", "of"),
    reads("java.util.Set", "of"),
    reads("java.util.EnumSet", "of"),
    reads("java.util.Objects", "hash"),
    reads("java.util.Collections", "addAll"),
    reads("java.util.stream.IntStream", "of"),
    reads("java.util.stream.LongStream", "of"),
    reads("java.util.stream.DoubleStream", "of"),
    reads("java.util.stream.Stream", "of"),
    reads("java.security.MessageDigest", "update"),
    reads("java.security.MessageDigest", "isEqual"),
    reads("java.util.zip.CRC32", "update"),
    reads("java.lang.String", "<init>"),
    reads("java.lang.String", "valueOf"),
    reads("java.lang.String", "copyValueOf"),
    reads("java.lang.String", "format"),
    reads("java.lang.String", "formatted"),
    reads("java.lang.String", "join"),
    // They fill their array argument.
    row("java.lang.String", "getChars").of(Descriptor::TakesArray).writes(Writes::Anything),
    row("java.lang.String", "getBytes").of(Descriptor::TakesArray).writes(Writes::Anything),
];
