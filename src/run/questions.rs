//! What a run is to watch, and what more it is asked while it is on.

use super::probes::Gate;
use super::recording::Recording;
use super::watches::Marks;
use crate::classes::ClassPool;
use crate::model::MethodName;
use crate::query::TraceQuery;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::oneshot;

/// What a run is to watch.
pub struct Questions {
    /// The TraceQueries.
    pub queries: Arc<[TraceQuery]>,
    /// Methods whose activations must be told apart, beyond those the queries need by themselves.
    pub tracked: BTreeSet<MethodName>,
    /// Where the arms of expressions are told apart.
    pub marks: Marks,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// Which hits interrupt, by query, where the run is to be watched by probes. Where one is [`Gate::Count`]
    /// all are, and nothing interrupts.
    pub gates: Option<Vec<Gate>>,
    /// How the run is recorded, if it is. Then nothing else is watched.
    pub recording: Option<Recording>,
}

/// What a run is asked while it is on.
pub struct More {
    /// All that it is to watch from now on; what it watches already is part of it.
    pub questions: Questions,
    /// Told when that is watched, or that it cannot be any more.
    pub taken: oneshot::Sender<bool>,
}
