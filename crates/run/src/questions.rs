//! What a run watches, and further questions while it is on.

use super::probes::Gate;
use super::recording::Recording;
use super::watches::Marks;
use classes::ClassPool;
use model::{MethodName, Site};
use query::TraceQuery;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::oneshot;

/// What a run watches.
pub struct Questions {
    /// The TraceQueries.
    pub queries: Arc<[TraceQuery]>,
    /// Methods whose activations must be distinguished, in addition to those that the queries themselves
    /// require.
    pub tracked: BTreeSet<MethodName>,
    /// Marks that distinguish the arms of expressions.
    pub marks: Marks,
    /// The branches and stores whose values of the operand stack are kept, if probes watch the run.
    pub stack_value_users: BTreeSet<Site>,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// Which hits interrupt, by query, if probes watch the run. If one gate is [`Gate::Count`], all are, and
    /// nothing interrupts.
    pub gates: Option<Vec<Gate>>,
    /// How the run is recorded, if it is. A recorded run watches nothing else.
    pub recording: Option<Recording>,
}

impl Questions {
    /// Those of a run that is recorded, and so watches nothing.
    pub fn of_recording(recording: Recording, pool: ClassPool) -> Questions {
        Questions { recording: Some(recording), ..Questions::none(pool) }
    }

    /// Those of a run that watches nothing.
    pub fn none(pool: ClassPool) -> Questions {
        Questions {
            queries: [].into(),
            tracked: BTreeSet::new(),
            marks: Marks::default(),
            stack_value_users: BTreeSet::new(),
            pool: Rc::new(pool),
            gates: None,
            recording: None,
        }
    }
}

/// Further questions for a run in progress.
pub struct FurtherQuestions {
    /// Everything to watch from now on, including what the run already watches.
    pub questions: Questions,
    /// Receives whether the run now watches for them, or false if that is no longer possible.
    pub taken: oneshot::Sender<bool>,
}
