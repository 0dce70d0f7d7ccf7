//! What a source of occurrences reports about the events of a TraceQuery, to explain a point that was not
//! located (DESIGN §5.20).

use model::{FrameKey, MethodName, Site, Value};
use std::collections::BTreeSet;

/// Maximum number of distinct names in a [`Tally`].
const NAMES: usize = 5;
/// Maximum number of operands in a [`Sample`].
pub const OPERANDS: usize = 4;

/// Counts by name, for a limited number of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The names with their counts, in the order in which they were first seen.
    pub named: Vec<(String, u64)>,
    /// Count of all other names.
    pub others: u64,
}

impl Tally {
    /// Counts a name.
    pub fn add(&mut self, name: &str) {
        if let Some((_, count)) = self.named.iter_mut().find(|(known, _)| known == name) {
            *count += 1;
        } else if self.named.len() < NAMES {
            self.named.push((name.to_owned(), 1));
        } else {
            self.others += 1;
        }
    }
}

/// The operands of a condition at a hit where it was false.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The ordinal of the false hit, from 1.
    pub number: u64,
    /// The operands.
    pub operands: Vec<(String, Value)>,
}

/// Statistics about the conditions of one query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryReport {
    /// Number of its events, before any condition.
    pub events: u64,
    /// Whether there were more: the VM has tested them, and could not tell the numbers at its end.
    pub at_least: bool,
    /// Number of events in another thread.
    pub other_thread: u64,
    /// Those other threads.
    pub threads: Tally,
    /// Number of events that satisfied the conditions, where the VM has tested them; 0 if it did not or did
    /// not end.
    pub asked: u64,
    /// Of those, the number for which the VM did not know that, and whose condition was then false.
    pub refuted: u64,
    /// Number of events without the caller named by `from` on the stack.
    pub other_caller: u64,
    /// The actual callers.
    pub callers: Tally,
    /// Number of events where `when` was false.
    pub condition_false: u64,
    /// The operands of `when` at the first, second, fourth, eighth … event where it was false.
    pub samples: Vec<Sample>,
    /// Number of events where `when` could not be evaluated.
    pub condition_failed: u64,
    /// The reasons why it could not.
    pub failures: Tally,
    /// The variables of `when`, at the event at which it could not be evaluated for the first time.
    pub failed_at: Vec<(String, Value)>,
    /// The parts of `when` that the VM cannot test, as written.
    pub outside: Vec<String>,
    /// Number of events at which `when` was evaluated from outside the VM.
    pub evaluated: u64,
    /// Where an exception of the class was thrown that `caught` excludes.
    pub left_out: Option<FrameKey>,
    /// The gates of its places that were reached ([`crate::Pass`]).
    pub held: BTreeSet<Site>,
    /// The first exception that prevented a pass of its place.
    pub prevented: Option<PreventedPass>,
}

/// An exception that left a method before a place there was reached, or was caught behind that place.
#[derive(Clone, Debug, PartialEq)]
pub struct PreventedPass {
    /// The exception.
    pub exception: Value,
    /// Where it was thrown.
    pub thrown: FrameKey,
    /// The method's frame.
    pub at: FrameKey,
}

impl QueryReport {
    /// The first reason why `when` could not be evaluated.
    pub fn failure(&self) -> Option<&str> {
        self.failures.named.first().map(|(why, _)| why.as_str())
    }

    /// Counts an event in another thread than the one that is asked for.
    pub fn count_other_thread(&mut self, label: &str) {
        self.other_thread += 1;
        self.threads.add(label);
    }

    /// Counts an event without the caller that is asked for. `caller` is the one that it has.
    pub fn count_other_caller(&mut self, caller: Option<&MethodName>) {
        self.other_caller += 1;
        self.callers.add(&caller.map_or_else(|| "no caller".to_owned(), ToString::to_string));
    }

    /// Counts an event at which `when` could not be evaluated.
    pub fn count_failure(&mut self, why: &str) {
        self.condition_failed += 1;
        self.failures.add(why);
    }

    /// Counts an event at which `when` was false. Returns its number if its operands are to be kept: at
    /// powers of two, which shows how they changed, with few samples in a long run.
    pub fn count_false(&mut self) -> Option<u64> {
        self.condition_false += 1;
        self.condition_false.is_power_of_two().then_some(self.condition_false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_holds_few_names_and_counts_the_rest() {
        let mut tally = Tally::default();
        for name in ["a", "b", "a", "c", "d", "e", "f", "g", "a"] {
            tally.add(name);
        }
        let named = [("a", 3), ("b", 1), ("c", 1), ("d", 1), ("e", 1)].map(|(n, c)| (n.to_owned(), c));
        assert_eq!((tally.named.as_slice(), tally.others), (&named[..], 2));
    }
}
