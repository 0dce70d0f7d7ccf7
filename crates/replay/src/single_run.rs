//! One run for questions that need no second one: it only counts hits, or writes the lines of a log point.

use chain::Translation;
use classes::ClassPool;
use debuggee::Forward;
use model::{ActivationKey, Occurrence, Tables};
use query::TraceQuery;
use run::{self, AgentRole, Control, Gate, Launch, Marks, Observer, ObserverError, Questions, VmFacts};
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

/// What the run is asked.
pub struct Asked {
    /// The translated chain.
    pub translation: Translation,
    /// Its TraceQueries.
    pub queries: Vec<TraceQuery>,
    /// Which hits interrupt; `None` if JDWP events watch the run.
    pub gates: Option<Vec<Gate>>,
}

/// A finished run.
pub struct SingleRun {
    /// The translated chain.
    pub translation: Translation,
    /// The class files.
    pub pool: Rc<ClassPool>,
    /// The TraceQueries.
    pub queries: Arc<[TraceQuery]>,
    /// The result of the run.
    pub outcome: run::Outcome,
    /// Its duration, with the start of the VM.
    pub seconds: f64,
}

/// Runs the program to its end; `None` if the user interrupted before any question was asked.
///
/// # Errors
/// The questions are invalid, or the program cannot be run.
pub async fn once(
    workspace: &Workspace,
    output: Option<Forward>,
    translated: &mut dyn FnMut(&ClassPool) -> Result<Asked, SessionError>,
    observer: &mut dyn Observer,
    context: &Context,
) -> Result<Option<SingleRun>, SessionError> {
    let mut asked = None;
    let mut ask = |facts: &VmFacts| -> Result<Questions, ObserverError> {
        let pool = Rc::new(workspace.pool(Some(facts)).map_err(Box::new)?);
        let Asked { translation, queries, gates } = translated(&pool)?;
        let queries: Arc<[TraceQuery]> = queries.into();
        let tracked = translation.tracked.clone();
        asked = Some((translation, pool.clone(), queries.clone()));
        let (marks, stack_value_users) = (Marks::default(), Default::default());
        Ok(Questions { queries, tracked, marks, stack_value_users, pool, gates, recording: None })
    };
    let template = workspace.template();
    let remote = template.settings().remote.is_some();
    let agent_role = if remote { AgentRole::Nothing } else { AgentRole::Probes };
    let launch = Launch { output, ..Launch::of(template, context.interrupt(), agent_role) };
    let started = Instant::now();
    let stage = run::execute(launch, &mut ask, observer).await?;
    let seconds = started.elapsed().as_secs_f64();
    let outcome = stage.end().await;
    Ok(asked.map(|(translation, pool, queries)| SingleRun { translation, pool, queries, outcome, seconds }))
}

/// An observer for runs that only count or record, and so have no occurrences.
pub struct NullObserver;

impl Observer for NullObserver {
    fn occurrence(
        &mut self,
        _occurrence: Occurrence,
        _tables: &mut Tables,
        _live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError> {
        Ok(Control::Continue)
    }

    fn progress(&mut self, _events: u64) {}
}
