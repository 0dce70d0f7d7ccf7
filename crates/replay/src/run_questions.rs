//! The questions of one run, which the session and the observer share. A session can add some while the
//! program runs.

use answer::facts::ValueFlows;
use chain::Translation;
use classes::ClassPool;
use locate::Locator;
use query::{PointIndex, TraceQuery};
use run::Gate;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

/// The questions of a run, shared by the session and the observer.
pub struct RunQuestions {
    /// The translation of the chain.
    pub translation: Translation,
    /// The TraceQueries, shared by the run and the locator.
    pub queries: Arc<[TraceQuery]>,
    /// The locator.
    pub locator: Locator,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// Translations with additional questions that are not yet watched, in order.
    pub more: VecDeque<Translation>,
    /// Points added while the run was on, with the number of earlier occurrences.
    pub late: BTreeMap<PointIndex, u64>,
    /// Which hits suspend the VM, if probes watch the run.
    pub gates: Option<Vec<Gate>>,
    /// The value flows at whose steps the run stops.
    pub value_flows: ValueFlows,
}

/// The questions of a run; empty until its VM has reported its facts.
pub type QuestionsCell = Rc<RefCell<Option<RunQuestions>>>;

/// Whether a run can continue with these TraceQueries: they begin with its own, and only points without hits
/// keep more values than before.
pub fn extends(asked: &RunQuestions, queries: &[TraceQuery]) -> bool {
    let text = |query: &TraceQuery| format!("{:?}", TraceQuery { keep: Vec::new(), ..query.clone() });
    let reports = asked.locator.report();
    let fits = |(old, new): (&TraceQuery, &TraceQuery)| {
        let hits = reports.iter().find(|r| r.point == old.point).map_or(0, |r| r.hits);
        text(old) == text(new) && (old.keep == new.keep || hits == 0)
    };
    queries.len() >= asked.queries.len() && asked.queries.iter().zip(queries).all(fits)
}
