//! What is said of calls.

use std::collections::BTreeSet;

/// What is said of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// It did not, and of the calls below it these have influenced what is wrong.
    Wrong(BTreeSet<u32>),
    /// These methods, by their numbers, are right for sure; the call's is one of them.
    Trusted(BTreeSet<u32>),
    /// Nobody knows.
    Unknown,
    /// What it was given was wrong already.
    Inadmissible,
}

/// A call, and what was said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The call.
    pub node: u32,
    /// What was said.
    pub verdict: Verdict,
}
