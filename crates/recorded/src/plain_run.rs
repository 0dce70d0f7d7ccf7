//! Runs a program once, without recording or asking anything: only to see how it ends.

use chain::Chain;
use debuggee::StdinRecording;
use replay::single_run::NullObserver;
use run::{self, AgentRole, Ended, Launch, Questions, VmFacts};
use session::workspace::Workspace;
use session::{Context, SessionError};

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
        Ok(Questions::none(workspace.pool(Some(facts)).map_err(Box::new)?))
    };
    let launch = Launch::of(workspace.template(), context.interrupt(), AgentRole::Nothing);
    let outcome = run::execute(launch, &mut ask, &mut NullObserver).await?.end().await;
    match outcome.ended {
        Ended::Interrupted => Err(SessionError::Interrupted),
        ended => Ok(PlainRun { ended, output: outcome.tail.last(LINES) }),
    }
}
