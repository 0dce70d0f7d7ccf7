//! What a run tells about itself beside its occurrences: enough to explain a point that never hit (DESIGN §5.20).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

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
    /// Why sites in it could not be watched.
    pub refused: Vec<String>,
}

/// How one query's conditions fared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryReport {
    /// How often its event occurred, before any condition.
    pub events: u64,
    /// How often its thread was another one.
    pub other_thread: u64,
    /// How often the caller asked for by `from` was not on the stack.
    pub other_caller: u64,
    /// How often `when` was false.
    pub condition_false: u64,
    /// The operands of `when` at some of the hits where it was false, as `name = value`.
    pub samples: Vec<String>,
    /// How often `when` could not be evaluated.
    pub condition_failed: u64,
    /// Why it could not, the first time.
    pub failure: Option<String>,
}

/// What a run tells about itself.
#[derive(Clone, Debug, Default)]
pub struct RunReport {
    /// By class name.
    pub classes: BTreeMap<Arc<str>, ClassReport>,
    /// By place in the chain.
    pub queries: BTreeMap<u16, QueryReport>,
    /// What makes answers less certain.
    pub warnings: Vec<String>,
    /// Those of the warnings that tell of methods redefined with other code (DESIGN §5.16).
    pub sites_lost: Vec<String>,
    /// Whether an expression called methods of the debuggee.
    pub called_methods: bool,
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
