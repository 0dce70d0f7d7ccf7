//! Runs a chain to its answer. All answers come from the last run; each fact that a translation must learn
//! first costs one run before it (DESIGN §5.13).
//!
//! - `iteration` is one run: translate, launch, watch, locate. `observer` offers each occurrence to the
//!   locator.
//! - `probe_policy` decides when probes replace JDWP events. `value_flow` follows a value back through a log
//!   of probes.
//! - `repeat` replays a chain several times and counts the answers.
//! - `cost` counts the hits of a chain in one run; `cost_model` turns the counts into seconds.
//! - `judge` replays a chain for `check` and `bisect`, and `verdict` is what it concludes.

pub mod cost;
pub mod cost_model;
pub mod iteration;
pub mod judge;
pub mod observer;
pub mod probe_policy;
pub mod repeat;
pub mod value_flow;
pub mod verdict;

use super::answer::assemble::Assembly;
use super::answer::{Answer, Outcome};
use super::context::Context;
use super::error::SessionError;
use super::workspace::Workspace;
use crate::chain::Chain;
use crate::debuggee::StdinRecording;
use crate::model::Namer;
use iteration::{Halting, Runner, Teaching};
use probe_policy::{Backend, EAGER};
use std::rc::Rc;

/// How to replay.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most runs.
    pub max_runs: u32,
    /// Size of the sample of rejected candidates.
    pub candidates: usize,
    /// Answer for the last so many root hits.
    pub last: Option<usize>,
    /// Whether the program's output goes to the progress's sink.
    pub show_output: bool,
    /// Longest time of a run, in seconds; none: the chain's.
    pub timeout_s: Option<u64>,
    /// How often a run that does not reach the root is tried.
    pub attempts: u32,
    /// What the program reads, where the chain names no file; none: nothing. What is recorded is fed to every
    /// run.
    pub stdin: Option<StdinRecording>,
    /// How runs are watched.
    pub backend: Backend,
    /// With probes, how many of the first hits of a point are read as they come.
    pub eager: u32,
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
        }
    }
}

/// Runs the debuggee until every point is located or nothing more can be learnt.
///
/// # Errors
/// The chain, its questions or its debuggee cannot be used. A point that is not located is no error but an
/// answer.
pub async fn replay(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Answer, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, options.stdin.clone())?;
    if !chain.debuggee.build.is_empty() {
        context.progress().building();
    }
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => {
            context.progress().done();
            return Ok(Assembly::unasked(name, chain, Outcome::Interrupted));
        }
    }
    let sources = Rc::new(workspace.sources());
    let (workspace, own) = (Rc::new(workspace), Rc::new(chain.clone()));
    let runner =
        Runner { workspace, chain: Rc::new(own.into()), options: options.clone(), sources: sources.clone() };
    let mut teaching = Teaching::default();
    let made = runner.rounds(&mut teaching, &mut |_| Halting::default(), context).await;
    context.progress().done();
    Ok(match made? {
        Some(last) => {
            let assembly =
                Assembly { name, chain, sources: &sources, runs: teaching.runs, round: &last.round };
            assembly.answer(&mut Namer::default())
        }
        None => Assembly::unasked(name, chain, Outcome::Interrupted),
    })
}
