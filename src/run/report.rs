//! What a run tells about itself beside its occurrences: enough to explain a point that never hit (DESIGN
//! §5.20).

use super::probes::Counted;
use crate::model::{Coordinate, FrameKey, MethodName, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How many different names one [`Tally`] holds.
const NAMES: usize = 5;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The observer had all it wanted and the program was stopped.
    Stopped,
    /// The VM ended by itself; the exit code of the command, where it is known.
    Exited(Option<i32>),
    /// Its driver had finished, and the program, which would have gone on, was asked to end and did.
    Driven,
    /// The command or its VM was ended by this signal.
    Killed(i32),
    /// `timeout_s` passed.
    TimedOut(Duration),
    /// The user interrupted it.
    Interrupted,
    /// The connection was lost while the command lives on.
    Lost(String),
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

/// What became of one watched class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassReport {
    /// How many classes of this name were prepared; more than one with several loaders.
    pub prepared: u32,
    /// Who defined them: `bootstrap`, `platform`, `app`, or the class of the loader.
    pub loaders: Vec<String>,
    /// How many of them have a static initialiser that has not begun: no code of them ran.
    pub not_initialised: u32,
    /// Why sites in it could not be watched.
    pub refused: Vec<String>,
}

/// Counts by name, of a bounded number of names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The names with their counts, in the order in which they were first seen.
    pub named: Vec<(String, u64)>,
    /// How many were of other names.
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

/// The operands of a condition at one of the hits where it was false.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The how manieth false hit it was, from 1.
    pub number: u64,
    /// The operands.
    pub operands: Vec<(String, Value)>,
}

/// How one query's conditions fared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryReport {
    /// How often its event occurred, before any condition.
    pub events: u64,
    /// How often its thread was another one.
    pub other_thread: u64,
    /// Which threads those were.
    pub threads: Tally,
    /// How often the caller asked for by `from` was not on the stack.
    pub other_caller: u64,
    /// From where it was called instead.
    pub callers: Tally,
    /// How often `when` was false.
    pub condition_false: u64,
    /// The operands of `when` at the first, second, fourth, eighth … hit where it was false.
    pub samples: Vec<Sample>,
    /// How often `when` could not be evaluated.
    pub condition_failed: u64,
    /// Why it could not.
    pub failures: Tally,
    /// Where an exception of the class was thrown that `caught` leaves out.
    pub left_out: Option<FrameKey>,
}

impl QueryReport {
    /// Why `when` could not be evaluated, the first time.
    pub fn failure(&self) -> Option<&str> {
        self.failures.named.first().map(|(why, _)| why.as_str())
    }
}

/// A step of a value's way, as it was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Visit {
    /// Where.
    pub at: Coordinate,
    /// The value that passed, where one can be seen.
    pub value: Option<Value>,
    /// What is in it, if it is a box.
    pub unboxed: Option<Value>,
    /// The object whose field or element it is.
    pub owner: Option<Value>,
    /// Which arm of an expression gave the value: the last of the marked instructions that ran in the
    /// activation.
    pub arm: Option<u32>,
    /// Where the thread stood.
    pub frame: FrameKey,
    /// Where its caller stood.
    pub caller: Option<FrameKey>,
}

/// A hidden class of the run, which got no probes though its code may hold sites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// The binary name in its class file.
    pub class: String,
    /// The queries, by place in the chain.
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

/// What a run tells about itself.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// By class name.
    pub classes: BTreeMap<Arc<str>, ClassReport>,
    /// By place in the chain.
    pub queries: BTreeMap<u16, QueryReport>,
    /// Which of the methods that hold sites were entered.
    pub entered: BTreeSet<MethodName>,
    /// What makes answers less certain.
    pub warnings: Vec<String>,
    /// Those of the warnings that tell of methods redefined with other code (DESIGN §5.16).
    pub sites_lost: Vec<String>,
    /// Why the run, or a part of its sites, was not watched by probes though it was to be.
    pub unprobed: Vec<String>,
    /// The hidden classes that were not watched by probes though their code may hold sites.
    pub hidden: Vec<Hidden>,
    /// Whether an expression called methods of the debuggee.
    pub called_methods: bool,
    /// The steps of values' ways that were stopped at, in order.
    pub visits: Vec<Visit>,
    /// The hits, where they were only counted and the VM has told them at its end.
    pub counted: Option<Counted>,
}

impl RunReport {
    /// Adds a warning once.
    pub fn warn(&mut self, warning: String) {
        // Bounded: what repeats is said once, and nobody reads a hundred.
        if self.warnings.len() < 100 && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds a warning that a method's sites are lost.
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
