//! The facts that a run has left, and that an answer explains.

use crate::chain::Translation;
use crate::classes::ClassPool;
use crate::locate::{Located, Locator};
use crate::model::{Came, CameBy, LastHit};
use crate::query::{PointIndex, TraceQuery};
use crate::run;
use crate::run::{Gate, Visit};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// One run and what it was asked.
pub struct Round {
    /// What the chain became.
    pub translation: Translation,
    /// The TraceQueries, as the run and the locator share them.
    pub queries: Arc<[TraceQuery]>,
    /// The locator, finished.
    pub locator: Locator,
    /// What is left of the run.
    pub outcome: run::Outcome,
    /// Its class files.
    pub pool: Rc<ClassPool>,
    /// Points that were asked while the run was on, with the number of occurrences before.
    pub late: BTreeMap<PointIndex, u64>,
    /// Which hits interrupted, where it was watched by probes.
    pub gates: Option<Vec<Gate>>,
    /// The ways of values at whose steps it stopped.
    pub ways: Ways,
    /// Points for which the locator holds what is not their answer, since the run did not stop there.
    pub astray: BTreeMap<PointIndex, Astray>,
}

impl Round {
    /// Where a point was located, if that is its answer.
    pub fn located(&self, point: PointIndex) -> Option<&Located> {
        self.locator.located(point).filter(|_| !self.astray.contains_key(&point))
    }
}

/// Why what a run located for a point is not its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Astray {
    /// The VM has seen another last hit, at which the run did not stop.
    Last(LastHit),
    /// It was asked from this point, which is astray itself.
    Follows(PointIndex),
}

/// The ways that are known so far.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// By point, with what tells its question from others: in a session a point can become another one.
    pub(super) known: BTreeMap<PointIndex, (u64, Came)>,
    pub(super) changes: BTreeMap<PointIndex, u32>,
}

/// The visit of a step.
pub fn visit<'v>(step: &CameBy, visits: &'v [Visit]) -> Option<&'v Visit> {
    visits.iter().rev().find(|visit| visit.at == step.at)
}
