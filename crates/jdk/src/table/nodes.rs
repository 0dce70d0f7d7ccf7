//! Nodes, iterators and sublists of collections.

use crate::facts::{Change, Contents, Counts, Place};
use crate::row::{Row, row};

/// `set` of a sublist or an iterator, which replaces an element.
const fn puts(class: &'static str, counts: Counts, change: Change) -> Row {
    row(class, "set").contents(Contents::Changed(counts)).change(change)
}

pub(super) const ROWS: &[Row] = &[
    puts("java.util.ArrayList$SubList", Counts::Put(2, Place::At(1)), Change::SetInPart(1))
        .is("(ILjava/lang/Object;)Ljava/lang/Object;"),
    puts("java.util.LinkedList$ListItr", Counts::Put(1, Place::Here), Change::SetByIterator)
        .is("(Ljava/lang/Object;)V"),
    row("java.util.Arrays$ArrayList", "set").begins("(ILjava/lang/Object;)").change(Change::SetInArray(1)),
    row("java.util.Arrays$ArrayList", "replaceAll").change(Change::Rewritten),
    row("java.util.Arrays$ArrayList", "sort").change(Change::Rewritten),
    row("java.util.HashMap$Node", "setValue").change(Change::SetValue(1)),
    row("java.util.HashMap$HashIterator", "nextNode").change(Change::Reached),
    row("java.util.LinkedHashMap$LinkedHashIterator", "nextNode").change(Change::Reached),
    row("java.util.TreeMap$Entry", "setValue").change(Change::SetValue(1)),
    row("java.util.TreeMap$PrivateEntryIterator", "nextEntry").change(Change::Reached),
];
