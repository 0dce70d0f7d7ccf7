//! What a run reports in addition to its occurrences: enough to explain a point that was never hit (DESIGN
//! §5.20).

use super::probes::HitCounts;
use model::{Coordinate, FrameKey, MethodName, Site, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Maximum number of distinct names in a [`Tally`].
const NAMES: usize = 5;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The observer needed nothing more, and `qp` stopped the program.
    Stopped,
    /// The VM ended by itself; with the exit code of the command, if known.
    Exited(Option<i32>),
    /// The driver had finished, and the program ended on request. It would have continued otherwise.
    Driven,
    /// This signal ended the command or its VM.
    Killed(i32),
    /// The program ran longer than `timeout_s`.
    TimedOut(Duration),
    /// The user interrupted it.
    Interrupted,
    /// The connection was lost while the command kept running.
    Lost(String),
}

impl Ended {
    /// Whether the program would have gone on, unseen.
    pub fn is_cut_off(&self) -> bool {
        matches!(self, Ended::Interrupted | Ended::TimedOut(_) | Ended::Lost(_))
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Stopped => f.write_str("stopped by qp"),
            Ended::Exited(Some(code)) => write!(f, "exit code {code}"),
            Ended::Exited(None) => f.write_str("by itself"),
            Ended::Driven => f.write_str("asked to, after `drive`"),
            Ended::Killed(signal) => write!(f, "killed by signal {signal}"),
            Ended::TimedOut(limit) => write!(f, "by qp after {} s", limit.as_secs()),
            Ended::Interrupted => f.write_str("interrupted"),
            Ended::Lost(why) => write!(f, "connection lost: {why}"),
        }
    }
}

/// Facts about one watched class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassReport {
    /// Number of prepared classes with this name; more than one if there are several loaders.
    pub prepared: u32,
    /// Their defining loaders: `bootstrap`, `platform`, `app`, or the class of the loader.
    pub loaders: Vec<String>,
    /// Number of them whose static initialiser has not begun: none of their code ran.
    pub not_initialised: u32,
    /// Why sites in it could not be watched.
    pub refused: Vec<String>,
}

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
    /// The gates of its places that were reached ([`query::Pass`]).
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
}

/// An observed step of a value flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowVisit {
    /// The coordinate of the step.
    pub at: Coordinate,
    /// The value that passed, if visible.
    pub value: Option<Value>,
    /// The unboxed value, if it is a box.
    pub unboxed: Option<Value>,
    /// The object or array that holds it as a field or element.
    pub owner: Option<Value>,
    /// The arm of an expression that produced the value: the last marked instruction that the activation
    /// executed.
    pub arm: Option<u32>,
    /// The frame of the step.
    pub frame: FrameKey,
    /// The frame of its caller.
    pub caller: Option<FrameKey>,
}

/// A hidden class without probes, although its code may contain sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The binary name in its class file.
    pub class: String,
    /// The queries, by position in the chain.
    pub queries: Vec<u16>,
}

impl From<wire::HiddenClass> for Hidden {
    fn from(class: wire::HiddenClass) -> Hidden {
        Hidden { class: class.class.replace('/', "."), queries: class.queries }
    }
}

impl std::fmt::Display for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is a hidden class, which no probe can be put into", self.class)
    }
}

/// What a run reports about itself.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// By class name.
    pub classes: BTreeMap<Arc<str>, ClassReport>,
    /// By position in the chain.
    pub queries: BTreeMap<u16, QueryReport>,
    /// The methods with sites that were entered.
    pub entered: BTreeSet<MethodName>,
    /// Reasons why answers are less certain.
    pub warnings: Vec<String>,
    /// The warnings about methods redefined with different code (DESIGN §5.16).
    pub sites_lost: Vec<String>,
    /// Why probes did not watch the run, or some of its sites, although they should have.
    pub unprobed: Vec<String>,
    /// The hidden classes that probes did not watch, although their code may contain sites.
    pub hidden: Vec<Hidden>,
    /// The watched classes whose code in the VM is not that of their class files: Java agents have rewritten
    /// them. By binary name, with the class files as they were loaded.
    pub loaded: BTreeMap<String, Vec<u8>>,
    /// Whether an expression called methods of the debuggee.
    pub called_methods: bool,
    /// The observed steps of value flows, in order.
    pub visits: Vec<FlowVisit>,
    /// The hit counts, if hits were only counted and the VM reported them at its end.
    pub counted: Option<HitCounts>,
}

impl RunReport {
    /// Adds a warning once.
    pub fn warn(&mut self, warning: String) {
        // Bounded, because nobody reads a hundred warnings; repeated ones are kept once.
        if self.warnings.len() < 100 && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds a warning about the lost sites of a method.
    pub fn warn_sites_lost(&mut self, warning: String) {
        if self.sites_lost.len() < 100 && !self.sites_lost.contains(&warning) {
            self.sites_lost.push(warning.clone());
        }
        self.warn(warning);
    }

    /// The report of one query.
    pub fn query(&mut self, query: u16) -> &mut QueryReport {
        self.queries.entry(query).or_default()
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
