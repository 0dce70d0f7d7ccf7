//! What is asked of a recording.

use model::{Coordinate, MethodName};
use query::TraceQuery;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of a recording.
#[derive(Clone, Copy)]
pub struct Asked<'a> {
    /// The TraceQueries, in the order of their chain.
    pub queries: &'a [TraceQuery],
    /// The steps of known value flows.
    pub armed: &'a [Coordinate],
    /// Whether all occurrences have what they show, and not only those that are located.
    pub shows_all: bool,
    /// The instructions that tell which arm of an expression gave a value, by method.
    pub marks: &'a BTreeMap<MethodName, BTreeSet<u32>>,
    /// The calls whose results are kept, by method.
    pub results: &'a BTreeMap<MethodName, BTreeSet<u32>>,
}
