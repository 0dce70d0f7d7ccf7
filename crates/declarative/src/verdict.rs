//! Verdicts about calls.

use std::collections::BTreeSet;

/// The answer to a question about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The call did what it should.
    Valid,
    /// The call did not do what it should.
    Invalid,
    /// The call is invalid, and only these calls below it influenced the wrong value.
    Wrong(BTreeSet<u32>),
    /// The call is invalid, but its inputs may be wrong too: calls of the thread from this one on prepared
    /// it. Only these calls influenced the wrong value; `None` if they are not known.
    Failed(u32, Option<BTreeSet<u32>>),
    /// These methods, by number, are always correct; the call's method is one of them.
    Trusted(BTreeSet<u32>),
    /// The answer is unknown.
    Unknown,
    /// The call was given wrong inputs.
    Inadmissible,
}

/// A call and the verdict about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedCall {
    /// The call.
    pub node: u32,
    /// The verdict.
    pub verdict: Verdict,
}
