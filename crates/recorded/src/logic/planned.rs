//! Asks a goal of a program that is yet to run: records only what the goal can touch, and asks the recording.

use super::open_log::{AskRequest, OpenLog};
use crate::{RecordOptions, RecordedTrace, record};
use chain::Chain;
use debuggee::StdinRecording;
use files::TemporaryFolder;
use logic::plan::Needed;
use logic::rules::Asked;
use session::{Context, SessionError};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use trace::{Level, TraceError};

/// How long to wait before the first look at a run that is still recorded.
const FIRST_LOOK: Duration = Duration::from_millis(500);
/// The time between two looks, as a multiple of the time that a look takes.
const PAUSE: u32 = 5;

/// A goal to ask of a program.
#[derive(Clone, Debug)]
pub struct PlannedRequest {
    /// The goal.
    pub ask: AskRequest,
    /// Keep the recording in this folder.
    pub out: Option<PathBuf>,
    /// Patterns of the classes to record.
    pub scope: Vec<String>,
    /// Patterns of classes to exclude.
    pub trust: Vec<String>,
    /// Time limit of the run, in seconds.
    pub timeout_s: Option<u64>,
    /// Memory for sorting, in bytes.
    pub memory: usize,
    /// Whether to show the program's output.
    pub show_output: bool,
    /// Input for the program.
    pub stdin: Option<StdinRecording>,
}

/// The plan for a goal, without running anything.
///
/// # Errors
/// The rules or the goal are not valid.
pub fn explain_plan(asked: &AskRequest) -> Result<Asked, SessionError> {
    let needed = asked.read_rules()?.plan(&asked.goal)?;
    Ok(Asked { goal: asked.goal.clone(), plan: needed.lines(), is_plan: true, ..Asked::default() })
}

/// Runs a program, records what the goal can touch, and asks the goal.
///
/// # Errors
/// The rules or the goal are not valid, the program cannot be launched, or the user interrupted the work.
pub async fn ask_program(
    chain: &Chain,
    asked: &PlannedRequest,
    context: &Context,
) -> Result<Asked, SessionError> {
    let needed = asked.ask.read_rules()?.plan(&asked.ask.goal)?;
    // The folder lives until the answer is there.
    let (_temporary, out) = match &asked.out {
        Some(out) => (None, out.clone()),
        None => {
            let folder = TemporaryFolder::new("qp-query-").map_err(TraceError::at(&std::env::temp_dir()))?;
            let out = folder.path().join("trace");
            (Some(folder), out)
        }
    };
    let options = RecordOptions {
        out: out.clone(),
        level: needed.level.unwrap_or(Level::Calls),
        by_owner: asked.scope.is_empty(),
        scope: asked.scope.clone(),
        trust: asked.trust.clone(),
        chosen: needed.chosen(),
        memory: asked.memory,
        timeout_s: asked.timeout_s,
        show_output: asked.show_output,
        stdin: asked.stdin.clone(),
        ..RecordOptions::default()
    };
    // One solution is enough for a goal without variables.
    let is_question = asked.ask.solutions == 1 && needed.is_monotone;
    if let Some(mut proved) = Box::pin(run(chain, &options, asked, is_question, context)).await? {
        // That the recording has not ended is no fault here.
        proved.notes.clear();
        proved.notes.push("the program was ended at the first proof".to_owned());
        return Ok(finished(proved, &needed));
    }
    let trace = RecordedTrace::open(&out, asked.memory, context).await?;
    let (answer, _) = Box::pin(OpenLog::open(trace, context).await?.ask(&asked.ask, context)).await?;
    Ok(finished(answer, &needed))
}

/// Adds to an answer what was recorded.
fn finished(mut answer: Asked, needed: &Needed) -> Asked {
    answer.notes.extend(needed.lines());
    if needed.level.is_none() {
        answer.notes.push("ids count only the recorded events".to_owned());
    }
    answer
}

/// Records the run. Returns the answer if the goal is proved before the run ends.
async fn run(
    chain: &Chain,
    options: &RecordOptions,
    asked: &PlannedRequest,
    is_question: bool,
    context: &Context,
) -> Result<Option<Asked>, SessionError> {
    let (stop, of_run) = context.renewed();
    let recording = record(chain, options, &of_run);
    tokio::pin!(recording);
    let mut pause = FIRST_LOOK;
    loop {
        tokio::select! {
            recorded = &mut recording => {
                recorded?;
                return Ok(None);
            }
            () = context.interrupted() => {
                _ = stop.send(true);
                drop(recording.await);
                return Err(SessionError::Interrupted);
            }
            () = tokio::time::sleep(pause), if is_question => {}
        }
        let began = Instant::now();
        // A recording that has only begun may not be readable yet.
        let quiet = context.without_progress();
        if let Ok(trace) = RecordedTrace::open(&options.out, asked.memory, &quiet).await
            && let Ok(log) = OpenLog::open(trace, &quiet).await
            && let Ok((answer, _)) = log.ask(&asked.ask, &quiet).await
            && answer.solutions > 0
        {
            _ = stop.send(true);
            drop(recording.await);
            return Ok(Some(answer));
        }
        pause = FIRST_LOOK.max(began.elapsed() * PAUSE);
    }
}
