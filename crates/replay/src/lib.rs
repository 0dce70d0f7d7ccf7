//! Replays a chain until it is answered. All answers come from the last run; each fact that a translation
//! must learn first costs one run before it (DESIGN §5.13).
//!
//! - `iteration` is one run: translate, launch, watch, locate. `observer` offers each occurrence to the
//!   locator.
//! - `probe_policy` decides when probes replace JDWP events, by what earlier runs have shown (`seen_hits`)
//!   and what a query says about its hits (`query_hits`).
//! - `moves` finds the points that were asked where an earlier run had their effect.
//! - `repeat` replays a chain several times and counts the answers.
//! - `cost` counts the hits of a chain in one run; `cost_model` turns the counts into seconds.
//! - `log_point` prints values at each pass over a line. `single_run` makes its run, and that of `cost`.
//! - `into_call` goes on from a change into the call whose result it stores.
//! - `failure` finds the place of an exception that nothing caught, or of a stack trace that was printed
//!   (`printed_trace`).
//! - `judge` replays a chain for `check` and `bisect`; `verdict` is the result.
//! - `explore` is an interactive session: questions, runs, and a halted program between them.

pub mod cost;
pub mod cost_model;
pub mod explore;
pub mod failed_assertion;
pub mod failure;
pub mod into_call;
pub mod iteration;
pub mod judge;
pub mod log_point;
pub mod moves;
pub mod observer;
mod printed_trace;
pub mod probe_policy;
mod query_hits;
pub mod repeat;
pub mod run_questions;
mod script;
mod seen_hits;
pub mod single_run;
pub mod verdict;

use answer::answer_facts::AnswerFacts;
use answer::assemble::{assemble, unasked};
use answer::facts::RunFacts;
use answer::{Answer, Outcome};
use chain::Chain;
use debuggee::StdinRecording;
use iteration::{Findings, HaltRequest, Runner};
use model::Namer;
use probe_policy::{Backend, EAGER};
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::rc::Rc;

/// Replay options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Maximum number of runs.
    pub max_runs: u32,
    /// Size of the sample of rejected candidates.
    pub candidates: usize,
    /// Answer for this many of the last root hits.
    pub last: Option<usize>,
    /// Whether the program's output goes to the progress's sink.
    pub show_output: bool,
    /// Maximum duration of a run, in seconds; `None` for the chain's value.
    pub timeout_s: Option<u64>,
    /// Number of attempts to reach the root.
    pub attempts: u32,
    /// Input for the program if the chain names no file; `None` for no input. What is recorded from it is fed
    /// to every run.
    pub stdin: Option<StdinRecording>,
    /// How runs are watched.
    pub backend: Backend,
    /// With probes: number of a point's initial hits that are read as they occur.
    pub eager: u32,
    /// Whether text shows all frames of a stack.
    pub all_frames: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_runs: 10,
            candidates: 0,
            last: None,
            show_output: false,
            timeout_s: None,
            attempts: 1,
            stdin: None,
            backend: Backend::default(),
            eager: EAGER,
            all_frames: false,
        }
    }
}

/// Runs the debuggee until every point is located or another run would show nothing new.
///
/// # Errors
/// The chain, a question or the debuggee cannot be used. A point that is not located is no error.
pub async fn replay(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Answer, SessionError> {
    Ok(replayed(name, chain, options, context).await?.0)
}

/// As [`replay`], with the last run.
async fn replayed(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<(Answer, Option<RunFacts>), SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, options.stdin.clone())?;
    if !chain.debuggee.build.is_empty() {
        context.progress().building();
    }
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => {
            context.progress().done();
            return Ok((unasked(name, chain, Outcome::Interrupted), None));
        }
    }
    script::learn_classes(&workspace, context.interrupt(), context.progress()).await?;
    let sources = Rc::new(workspace.sources());
    let (workspace, own) = (Rc::new(workspace), Rc::new(chain.clone()));
    let runner =
        Runner { workspace, chain: Rc::new(own.into()), options: options.clone(), sources: sources.clone() };
    let mut findings = Findings::default();
    let made = runner.run_until_answered(&mut findings, &mut |_| HaltRequest::default(), context).await;
    context.progress().done();
    Ok(match made? {
        Some(last) => {
            let facts = AnswerFacts {
                name,
                chain,
                sources: &sources,
                runs: findings.runs,
                all_frames: options.all_frames,
                run_facts: &last.run_facts,
            };
            let answer = assemble(facts, &mut Namer::default());
            (answer, Some(last.run_facts))
        }
        None => (unasked(name, chain, Outcome::Interrupted), None),
    })
}
