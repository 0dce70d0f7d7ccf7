//! Runs a program once, without recording or asking anything: only to see how it ends.

use chain::Chain;
use debuggee::StdinRecording;
use replay::single_run::NullObserver;
use run::{self, AgentRole, Ended, Launch, Marks, Questions, VmFacts};
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A program that has run.
#[derive(Clone, Debug)]
pub struct PlainRun {
    /// How it ended.
    pub ended: Ended,
    /// The last lines of its output.
    pub output: String,
}

/// Number of lines of output to keep.
const LINES: usize = 12;

/// Runs a program once. It is pinned if the chain has pins.
///
/// # Errors
/// The program cannot be launched, or the user interrupted.
pub async fn run_plain(
    chain: &Chain,
    timeout_s: Option<u64>,
    stdin: Option<StdinRecording>,
    context: &Context,
) -> Result<PlainRun, SessionError> {
    let workspace = Workspace::open(chain, timeout_s, stdin)?;
    let mut ask = |facts: &VmFacts| -> Result<Questions, run::ObserverError> {
        Ok(Questions {
            queries: [].into(),
            tracked: BTreeSet::new(),
            marks: Marks::default(),
            stack_value_users: BTreeSet::new(),
            pool: Rc::new(workspace.pool(Some(facts)).map_err(Box::new)?),
            gates: None,
            recording: None,
        })
    };
    let launch = Launch {
        template: workspace.template(),
        output: None,
        interrupt: context.interrupt(),
        halt_at: None,
        more: None,
        agent_role: AgentRole::Nothing,
        unwatched: None,
    };
    let outcome = run::execute(launch, &mut ask, &mut NullObserver).await?.end().await;
    match outcome.ended {
        Ended::Interrupted => Err(SessionError::Interrupted),
        ended => Ok(PlainRun { ended, output: outcome.tail.last(LINES) }),
    }
}
