//! Facts that the methods of a package share, and the classes that differ.

use crate::facts::{Reads, Writes};
use crate::row::{Row, row};

/// A class whose objects change only the state of JDK objects, and otherwise call methods of other objects.
const fn keeps_to_itself(class: &'static str) -> Row {
    row(class, "*").writes(Writes::Objects)
}

pub(super) const ROWS: &[Row] = &[
    keeps_to_itself("java.util.**"),
    row("java.util.*", "*").pure(true),
    row("java.util.Scanner", "*").pure(false),
    row("java.util.Formatter", "*").pure(false),
    row("java.util.Timer", "*").pure(false),
    row("java.util.concurrent.**", "*").writes(Writes::Anything),
    row("java.util.concurrent.atomic.*", "*").pure(true),
    row("java.util.function.*", "*").writes(Writes::Anything).pure(true),
    row("java.util.jar.**", "*").writes(Writes::Anything),
    row("java.util.regex.*", "*").pure(true),
    row("java.util.stream.*", "*").writes(Writes::Anything).pure(true),
    row("java.util.zip.**", "*").writes(Writes::Anything),
    row("java.math.*", "*").pure(true),
    keeps_to_itself("java.lang.**Error"),
    keeps_to_itself("java.lang.**Exception"),
    keeps_to_itself("java.lang.AbstractStringBuilder"),
    keeps_to_itself("java.lang.CharSequence"),
    keeps_to_itself("java.lang.Comparable"),
    keeps_to_itself("java.lang.Iterable"),
    keeps_to_itself("java.lang.StringBuffer"),
    keeps_to_itself("java.lang.StringBuilder").pure(true),
    keeps_to_itself("java.lang.Throwable"),
    row("java.lang.System", "currentTimeMillis").reads(Reads::Nothing).writes(Writes::Nothing),
    row("java.lang.System", "identityHashCode").reads(Reads::Nothing).writes(Writes::Nothing),
    row("java.lang.System", "lineSeparator").reads(Reads::Nothing).writes(Writes::Nothing),
    row("java.lang.System", "nanoTime").reads(Reads::Nothing).writes(Writes::Nothing),
];
