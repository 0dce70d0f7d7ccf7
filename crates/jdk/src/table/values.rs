//! Value classes and `Object`. Most methods compute their result from their arguments.

use crate::facts::{Arrays, Contents, Reads, Writes};
use crate::row::{Descriptor, Row, row};

/// A class whose methods compute their results from their arguments.
const fn computes(class: &'static str) -> Row {
    row(class, "*").reads(Reads::Arguments).writes(Writes::Nothing)
}

/// The same, with pure methods.
const fn value(class: &'static str) -> Row {
    computes(class).pure(true)
}

/// A method that reads the state of JDK objects, such as the system properties.
const fn looks(class: &'static str, name: &'static str) -> Row {
    row(class, name).reads(Reads::Objects).writes(Writes::Nothing)
}

/// A method that reads array elements.
const fn looks_into_arrays(class: &'static str, name: &'static str) -> Row {
    row(class, name).reads(Reads::Everything).writes(Writes::Nothing)
}

/// A method of every object, which does not change a collection.
const fn of_objects(name: &'static str) -> Row {
    row("java.lang.Object", name).contents(Contents::Kept)
}

/// A method that waits for other threads, or wakes them.
const fn waits(name: &'static str) -> Row {
    row("java.lang.Object", name).writes(Writes::Anything).pure(false)
}

pub(super) const ROWS: &[Row] = &[
    value("java.lang.Object"),
    of_objects("equals"),
    // On a collection, these read its contents.
    of_objects("hashCode").reads(Reads::Objects).writes(Writes::Nothing),
    of_objects("toString").reads(Reads::Objects).writes(Writes::Nothing),
    of_objects("clone").reads(Reads::Everything).writes(Writes::Nothing),
    waits("wait"),
    waits("notify"),
    waits("notifyAll"),
    value("java.lang.Math"),
    computes("java.lang.StrictMath"),
    value("java.lang.String"),
    looks_into_arrays("java.lang.String", "*").of(Descriptor::TakesArray),
    value("java.lang.Boolean"),
    looks("java.lang.Boolean", "getBoolean"),
    value("java.lang.Byte"),
    value("java.lang.Character"),
    value("java.lang.Short"),
    value("java.lang.Integer"),
    looks("java.lang.Integer", "getInteger"),
    value("java.lang.Long"),
    looks("java.lang.Long", "getLong"),
    value("java.lang.Float"),
    value("java.lang.Double"),
    value("java.lang.Enum"),
    value("java.lang.Record"),
    // Subclasses such as `AtomicInteger` are mutable.
    looks("java.lang.Number", "*"),
    looks("java.util.concurrent.atomic.AtomicBoolean", "get"),
    looks("java.util.concurrent.atomic.AtomicInteger", "get"),
    looks("java.util.concurrent.atomic.AtomicInteger", "intValue"),
    looks("java.util.concurrent.atomic.AtomicLong", "get"),
    looks("java.util.concurrent.atomic.AtomicLong", "longValue"),
    looks("java.util.concurrent.atomic.AtomicReference", "get"),
    looks("java.util.concurrent.atomic.LongAdder", "sum"),
    looks("java.util.BitSet", "get").is("(I)Z"),
    looks("java.util.BitSet", "cardinality"),
    looks("java.util.BitSet", "isEmpty"),
    looks("java.util.BitSet", "length"),
    looks("java.util.BitSet", "nextSetBit"),
    looks("java.util.BitSet", "nextClearBit"),
    looks("java.lang.StringBuffer", "capacity"),
    looks("java.lang.StringBuffer", "charAt"),
    looks("java.lang.StringBuffer", "codePoint*"),
    looks("java.lang.StringBuffer", "compareTo"),
    looks("java.lang.StringBuffer", "indexOf"),
    looks("java.lang.StringBuffer", "lastIndexOf"),
    looks("java.lang.StringBuffer", "length"),
    looks("java.lang.StringBuffer", "subSequence"),
    looks("java.lang.StringBuffer", "substring"),
    looks("java.lang.StringBuffer", "toString"),
    looks("java.lang.StringBuilder", "compareTo"),
    looks("java.lang.StringBuilder", "indexOf"),
    looks("java.lang.StringBuilder", "lastIndexOf"),
    looks("java.lang.StringBuilder", "toString"),
    computes("java.lang.Class").arrays(Arrays::Read),
    row("java.lang.Class", "forName").writes(Writes::Anything),
    row("java.lang.Class", "newInstance").writes(Writes::Anything),
    computes("java.util.Objects"),
    looks_into_arrays("java.util.Objects", "*").of(Descriptor::TakesArray),
    looks_into_arrays("java.util.Objects", "deepEquals"),
];
