//! Reflection and handles. They write fields and call methods that no instruction names.

use crate::facts::{Calls, Fields, Holds, Objects, Reads, Writes};
use crate::row::{Descriptor, Row, row};

const HANDLE: &str = "java.lang.invoke.VarHandle";
const UNSAFE: &str = "sun.misc.Unsafe";

/// A method that writes the field behind its receiver.
const fn writes_its(class: &'static str, name: &'static str) -> Row {
    row(class, name).fields(Fields::OfReceiver)
}

/// A method that writes no field.
const fn writes_none(class: &'static str, name: &'static str) -> Row {
    row(class, name).fields(Fields::None)
}

/// A method that can write any field.
const fn writes_any(class: &'static str, name: &'static str) -> Row {
    row(class, name).fields(Fields::Any)
}

/// A method of a handle for array elements.
const fn of_elements(name: &'static str) -> Row {
    writes_none(HANDLE, name).of(Descriptor::BeginsWithElement)
}

/// The bootstrap methods of a class: the row describes the instruction that they link.
const fn links(class: &'static str, reads: Reads) -> Row {
    row(class, "*").reads(reads).writes(Writes::Nothing)
}

/// Code that can call any method of the program.
const fn calls_any(class: &'static str) -> Row {
    row(class, "*").calls(Calls::Anything)
}

pub(super) const ROWS: &[Row] = &[
    calls_any("java.lang.reflect.**"),
    calls_any("java.lang.invoke.**"),
    calls_any("java.lang.Class**"),
    calls_any("java.io.Object**"),
    writes_its("java.lang.reflect.Field", "set*"),
    writes_none("java.lang.reflect.Field", "setAccessible"),
    writes_its(HANDLE, "set*"),
    writes_its(HANDLE, "compareAnd*"),
    writes_its(HANDLE, "weakCompare*"),
    writes_its(HANDLE, "getAnd*"),
    of_elements("set*"),
    of_elements("compareAnd*"),
    of_elements("weakCompare*"),
    of_elements("getAnd*"),
    writes_its("java.util.concurrent.atomic.*FieldUpdater", "*"),
    writes_none("java.util.concurrent.atomic.*FieldUpdater", "get"),
    writes_none("java.util.concurrent.atomic.*FieldUpdater", "newUpdater"),
    writes_any("java.lang.invoke.MethodHandle", "invoke*").holds(Holds::Elements),
    row("java.lang.reflect.Method", "invoke").holds(Holds::Elements),
    writes_any("java.io.ObjectInputStream", "read*"),
    writes_any("java.io.ObjectInputStream", "defaultRead*"),
    row(UNSAFE, "*").objects(Objects::Any),
    row(UNSAFE, "get*").objects(Objects::Kept),
    writes_any(UNSAFE, "set*"),
    writes_any(UNSAFE, "put*"),
    writes_any(UNSAFE, "compareAnd*"),
    writes_any(UNSAFE, "getAnd*").objects(Objects::Any),
    links("java.lang.invoke.LambdaMetafactory", Reads::Nothing),
    links("java.lang.invoke.StringConcatFactory", Reads::Objects),
    links("java.lang.runtime.SwitchBootstraps", Reads::Objects),
    links("java.lang.runtime.ObjectMethods", Reads::Everything),
];
