//! Records a run: launches the program once, and moves its events into a folder while it runs.

use super::open::sort_in_background;
use super::options::{RecordOptions, about_of, recording_of, recording_outcome};
use super::other_vms::{OtherVms, RecordedVm};
use super::scope;
use chain::Chain;
use classes::DefaultScope;
use debuggee::Forward;
use replay::single_run::NullObserver;
use run::{self, AgentRole, Ended, Launch, Questions, UnwatchedVm};
use serde::Serialize;
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::cell::RefCell;
use std::path::PathBuf;
use std::pin::pin;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;
use trace::{
    About, Checksum, Collector, EventShares, Folder, IndexFollower, LARGE_RECORDING, PartialIndex,
    RecordingOutcome, TraceError,
};

/// The result of a recording.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedRun {
    /// The folder.
    pub folder: PathBuf,
    /// Size of the file with the events, in bytes.
    pub stored: u64,
    /// The outcome of the run.
    #[serde(flatten)]
    pub recorded: RecordingOutcome,
    /// What makes the recording large, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub large: Option<EventShares>,
    /// The other VMs of the command that were recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vms: Vec<RecordedVm>,
    /// Whether the program ran to its end.
    pub whole: bool,
    /// Its exit code, if it ended by itself.
    #[serde(skip)]
    pub exit_code: Option<i32>,
    /// Further remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// If nothing was recorded, the last lines of the program's output, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// How often to show how a recording grows.
const TELL: Duration = Duration::from_secs(1);
/// What is said of a pinned run.
const PINNED: &str = "pinned: random numbers (also secure ones, which anyone can predict then), the order \
                      of immutable sets and maps and of files in a folder, the start of the clock, and the \
                      process id";
/// Number of lines of output to show if nothing was recorded.
const LINES: usize = 8;

/// Runs a program once and records it.
///
/// # Errors
/// The program cannot be launched, the folder cannot be written, or the user interrupted the run before
/// anything was recorded.
pub async fn record(
    chain: &Chain,
    options: &RecordOptions,
    context: &Context,
) -> Result<RecordedRun, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, options.stdin.clone())?;
    if workspace.template().settings().remote.is_some() {
        return Err(SessionError::NotRecorded("a remote program: `qp` has to launch it".to_owned()));
    }
    let mut remarks = Vec::new();
    if !options.scope.is_empty() && workspace.knows_classes()? {
        remarks = scope::check(&options.scope, &workspace.pool(None)?)?;
    }
    let about = RefCell::new(about_of(chain, options)?);
    let out = std::path::absolute(&options.out).map_err(TraceError::at(&options.out))?;
    let folder = Folder::create(&out, &about.borrow())?;
    let why = if options.window.is_some() { "to record one call" } else { "to record it" };
    context.progress().run_started(1, Some(why));
    let began = Instant::now();
    let collector = Collector::begin(&folder, options.max_size)?;
    let follower = IndexFollower::begin(&folder, options.level, options.memory);
    let output = output_of(options, context);
    let (told, mut vms) = OtherVms::new(options, &folder);
    let run = Box::pin(run_once(&workspace, options, &folder, &about, output, told, context));
    let run = vms.record_during(run, chain, &workspace, options);
    let ran = Box::pin(while_it_grows(run, &folder, &follower, context)).await;
    let mut about = about.into_inner();
    context.progress().done();
    // The collector compresses events at its end, and the follower reads uncompressed ones.
    let index = follower.stop();
    let mut collected = collector.finish();
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error) => {
            // The program did not start, so the folder is useless.
            drop(std::fs::remove_dir_all(folder.path()));
            return Err(error);
        }
    };
    add_missing(&mut collected.missing, &outcome.report.unprobed);
    if let Err(error) = keep_input(&folder, chain, options) {
        let why = format!("the program's input: {error}: later runs of the program get none");
        collected.missing.push(why);
    }
    about.dropped = collected.dropped;
    let (stored, seconds) = (collected.stored, began.elapsed().as_secs_f64());
    let ended = outcome.ended.to_string();
    let mut recorded = recording_outcome(options, &folder, ended, collected, seconds)?;
    let checksums = outcome.tail.digests.each_ref().map(|of| Checksum { bytes: of.bytes, crc: of.crc });
    (recorded.printed, recorded.output) = (Some(outcome.tail.printed), Some(checksums));
    about.recorded = Some(recorded.clone());
    if let Err(error) = folder.say(&about) {
        recorded.missing.push(format!("{error}: the recording does not say how the run ended"));
    }
    if matches!(outcome.ended, Ended::Interrupted) && context.is_interrupted() {
        return Err(SessionError::Interrupted);
    }
    let (vms, unrecorded) = vms.finish(options, &recorded.ended)?;
    add_missing(&mut recorded.missing, &unrecorded);
    let shares = match index.filter(|_| !context.is_interrupted()) {
        Some(index) => Box::pin(keep_index(index, &folder, &about, context)).await,
        None => None,
    };
    let whole = matches!(outcome.ended, Ended::Exited(_) | Ended::Driven);
    let exit_code = match outcome.ended {
        Ended::Exited(code) => code,
        _ => None,
    };
    let output = Some(outcome.tail.last(LINES)).filter(|text| recorded.bytes == 0 && !text.is_empty());
    // Only readers of the folder need the checksum and the size of the output.
    let recorded = RecordingOutcome { sites: None, printed: None, output: None, files: None, ..recorded };
    let notes = notes(&about, remarks, outcome.report.warnings);
    let (folder, large) = (options.out.clone(), shares.filter(|_| recorded.bytes >= LARGE_RECORDING));
    Ok(RecordedRun { folder, stored, recorded, large, vms, whole, exit_code, notes, output })
}

/// Completes the tables that were built while the program ran. If that fails, or the user interrupts it, the
/// first question builds them. Returns what makes the recording large, if all of it was read.
async fn keep_index(
    index: PartialIndex,
    folder: &Folder,
    about: &About,
    context: &Context,
) -> Option<EventShares> {
    let (folder, about) = (folder.clone(), about.clone());
    let kept = sort_in_background(context, move |goes_on| index.finish(&folder, &about, goes_on));
    kept.await.ok()?.shares
}

/// Waits for a run, and shows how its recording grows when it is large.
async fn while_it_grows<T>(
    run: impl Future<Output = T>,
    folder: &Folder,
    follower: &IndexFollower,
    context: &Context,
) -> T {
    let mut run = pin!(run);
    let stored = || std::fs::metadata(folder.events()).map_or(0, |events| events.len());
    let mut before = (Instant::now(), 0);
    loop {
        tokio::select! {
            ended = &mut run => return ended,
            () = tokio::time::sleep(TELL) => {}
        }
        let (now, bytes) = (Instant::now(), stored());
        if bytes >= LARGE_RECORDING {
            let milliseconds = (now - before.0).as_millis().max(1);
            let each_second = u128::from(bytes.saturating_sub(before.1)) * 1000 / milliseconds;
            let each_second = u64::try_from(each_second).unwrap_or(u64::MAX);
            context.progress().grown(bytes, each_second, follower.shares().as_ref());
        }
        before = (now, bytes);
    }
}

/// Who receives the program's output: the listener, or else the user.
fn output_of(options: &RecordOptions, context: &Context) -> Option<Forward> {
    let sink = if options.show_output { context.progress().sink() } else { None };
    let shown = sink.map(|sink| Forward::new("", move |_, lines| sink(lines)));
    options.listener.clone().or(shown)
}

/// Adds reasons why events are missing, each once.
fn add_missing(missing: &mut Vec<String>, problems: &[String]) {
    for problem in problems {
        if !missing.contains(problem) {
            missing.push(problem.clone());
        }
    }
}

/// The remarks about a recording for its user.
fn notes(about: &About, remarks: Vec<String>, warnings: Vec<String>) -> Vec<String> {
    let mut notes: Vec<String> = about.whose_code.iter().cloned().collect();
    notes.extend(about.pins.as_ref().map(|_| PINNED.to_owned()));
    notes.extend(about.dropped.map(|dropped| dropped.to_string()));
    notes.extend(remarks);
    notes.extend(warnings);
    if about.redacted {
        notes.push(format!(
            "the command is kept without its secrets, as `{}`: `qp` cannot run it again for more detail (--keep-secrets keeps it as it is)",
            about.command.join(" ")
        ));
    }
    notes
}

/// Keeps what the program got on its standard input, so that it can be run again.
fn keep_input(folder: &Folder, chain: &Chain, options: &RecordOptions) -> std::io::Result<()> {
    let input = match (&chain.debuggee.stdin, &options.stdin) {
        (Some(file), _) => std::fs::read(chain.cwd().join(file))?,
        (None, Some(recording)) => recording.recorded(),
        (None, None) => Vec::new(),
    };
    if input.is_empty() { Ok(()) } else { files::write(&folder.stdin(), input) }
}

/// What is recorded of a program by default; `None` if only its VM says which classes there are.
///
/// # Errors
/// The command cannot be launched.
pub fn default_scope(chain: &Chain) -> Result<Option<DefaultScope>, SessionError> {
    let workspace = Workspace::open(chain, None, None)?;
    if !workspace.knows_classes()? {
        return Ok(None);
    }
    Ok(Some(workspace.default_scope(&workspace.pool(None)?)))
}

async fn run_once(
    workspace: &Workspace,
    options: &RecordOptions,
    folder: &Folder,
    about: &RefCell<About>,
    output: Option<Forward>,
    unwatched: Option<Sender<UnwatchedVm>>,
    context: &Context,
) -> Result<run::Outcome, SessionError> {
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => return Err(SessionError::Interrupted),
    }
    let mut ask = |facts: &run::VmFacts| {
        let (recording, pool) = recording_of(workspace, options, folder, &mut about.borrow_mut(), facts)?;
        Ok(Questions::of_recording(recording, pool))
    };
    let launch = Launch::of(workspace.template(), context.interrupt(), AgentRole::Recorder);
    let launch = Launch { output, unwatched, ..launch };
    Ok(run::execute(launch, &mut ask, &mut NullObserver).await?.end().await)
}
