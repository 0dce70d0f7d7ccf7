//! What a run reports in addition to its occurrences: enough to explain a point that was never hit (DESIGN
//! §5.20).

use super::probes::HitCounts;
use model::{FlowVisit, MethodName};
use query::QueryReport;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

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
    /// It is over, and was recorded.
    Recorded {
        /// How it ended.
        how: String,
        /// Whether it went on when the recording ended.
        went_on: bool,
    },
}

impl Ended {
    /// Whether the program would have gone on, unseen.
    pub fn is_cut_off(&self) -> bool {
        let is_part = matches!(self, Ended::Recorded { went_on: true, .. });
        is_part || matches!(self, Ended::Interrupted | Ended::TimedOut(_) | Ended::Lost(_))
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
            Ended::Recorded { how, .. } => f.write_str(how),
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
