//! The results of a run from which an answer is built.

use chain::Translation;
use classes::ClassPool;
use locate::{Located, Locator};
use model::{Coordinate, FlowVisit, LastHit, Tables, ThreadIdentity, ValueFlow};
use query::{PointIndex, TraceQuery};
use run::{Ended, Gate};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A run and its questions.
pub struct RunFacts {
    /// The translation of the chain.
    pub translation: Translation,
    /// The TraceQueries, shared by the run and the locator.
    pub queries: Arc<[TraceQuery]>,
    /// The locator, finished.
    pub locator: Locator,
    /// The outcome of the run.
    pub outcome: run::Outcome,
    /// Its class files.
    pub pool: Rc<ClassPool>,
    /// Points added while the run was on, with the number of earlier occurrences.
    pub late: BTreeMap<PointIndex, u64>,
    /// Which hits suspended the VM, if probes watched the run.
    pub gates: Option<Vec<Gate>>,
    /// The value flows at whose steps it stopped.
    pub value_flows: ValueFlows,
    /// Points whose located occurrence, if any, is not their answer.
    pub astray: BTreeMap<PointIndex, Astray>,
}

impl RunFacts {
    /// The located occurrence of a point, if it is the answer.
    pub fn located(&self, point: PointIndex) -> Option<&Located> {
        self.locator.located(point).filter(|_| !self.astray.contains_key(&point))
    }

    /// Whether the program ended by itself before reaching the root; another run may reach it.
    pub fn missed_root(&self) -> bool {
        matches!(self.outcome.ended, Ended::Driven | Ended::Exited(_) | Ended::Killed(_))
            && self.queries.first().is_some_and(|root| self.locator.located(root.point).is_none())
    }
}

/// Why the located occurrence of a point, if any, is not its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Astray {
    /// The VM has seen a later hit, at which the run did not stop.
    Last(LastHit),
    /// It depends on this point, whose located occurrence is not the answer either.
    Follows(PointIndex),
    /// It was asked where an earlier run had this point, which is elsewhere in this run.
    Moved(PointIndex),
    /// It was asked before the callers of this point were known.
    Deeper(PointIndex),
    /// The run was cut off, and a later occurrence could have been the answer.
    CutOff,
}

/// The known value flows.
#[derive(Clone, Debug, Default)]
pub struct ValueFlows {
    /// By point, with a hash of the question: in a session, a point can change.
    pub(super) known: BTreeMap<PointIndex, (u64, ValueFlow)>,
    pub(super) changes: BTreeMap<PointIndex, u32>,
}

/// The hit of a run at a place that an earlier run has logged.
pub fn visit<'v>(logged: &Coordinate, visits: &'v [FlowVisit], tables: &Tables) -> Option<&'v FlowVisit> {
    let is_same = |at: &Coordinate| {
        let thread = match tables.has_namesakes(&at.thread) || at.thread.name.is_empty() {
            true => logged.thread.clone(),
            // The name says which thread it is, whatever its number in this run.
            false => ThreadIdentity { number: at.thread.number, ..logged.thread.clone() },
        };
        *at == Coordinate { thread, ..logged.clone() }
    };
    visits.iter().rev().find(|visit| is_same(&visit.at))
}
