//! A run that is recorded: launched once, its events taken out while it runs, and kept in a folder.

use super::open::RecordedTrace;
use super::secrets::Secrets;
use crate::chain::Chain;
use crate::debuggee::Forward;
use crate::run::{self, Aboard, Ended, Launch, Questions, Recording, Stage};
use crate::session::consent::Wanted;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::replay::cost::Nobody;
use crate::session::workspace::Workspace;
use crate::trace::{About, Collector, Folder, Level, Places, RecordingOutcome, TraceError, Window};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// What is recorded, and where it is kept.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// The folder, which must not be there.
    pub out: PathBuf,
    /// How much.
    pub level: Level,
    /// Classes whose methods are recorded, as patterns; none: all but those of the JDK.
    pub scope: Vec<String>,
    /// Classes that are not recorded all the same.
    pub trust: Vec<String>,
    /// Only these calls.
    pub window: Option<Window>,
    /// Only what is done between these places.
    pub places: Option<Places>,
    /// So many bytes of memory are for what has to be sorted.
    pub memory: usize,
    /// Ends the run after so many seconds.
    pub timeout_s: Option<u64>,
    /// Whether the program's output is shown.
    pub show_output: bool,
    /// What of the command is not kept.
    pub secrets: Secrets,
}

/// What was recorded.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedRun {
    /// The folder.
    pub folder: PathBuf,
    /// Bytes of the file that keeps the events.
    pub stored: u64,
    /// What became of it.
    #[serde(flatten)]
    pub recorded: RecordingOutcome,
    /// Whether the program came to its end.
    pub whole: bool,
    /// What is to be known of it besides.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Where nothing was recorded: the last lines that the program printed, if it printed any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// So many of the program's last lines are shown where nothing was recorded.
const LINES: usize = 8;

/// Runs a program once and records it.
///
/// # Errors
/// The program cannot be launched, the folder not be written, or it was interrupted before anything was
/// recorded.
pub async fn record(
    chain: &Chain,
    options: &RecordOptions,
    context: &Context,
) -> Result<RecordedRun, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, None)?;
    if workspace.template().settings().remote.is_some() {
        return Err(SessionError::NotRecorded("a remote program: `qp` has to launch it".to_owned()));
    }
    let command = options.secrets.hide(&chain.debuggee.command);
    let mut about = About {
        redacted: command != chain.debuggee.command,
        command,
        cwd: std::path::absolute(Path::new(".").join(chain.cwd())).map_err(TraceError::at(&chain.cwd()))?,
        level: options.level,
        scope: options.scope.clone(),
        trust: options.trust.clone(),
        window: options.window.clone(),
        places: options.places.clone(),
        ..About::default()
    };
    about.signature = Wanted::of_recording(&options.out, &about).tag();
    let out = std::path::absolute(&options.out).map_err(TraceError::at(&options.out))?;
    let folder = Folder::create(&out, &about)?;
    let why = if options.window.is_some() { "to record one call" } else { "to record it" };
    context.progress().run_started(1, Some(why));
    let began = Instant::now();
    let collector = Collector::begin(&folder)?;
    let sink = if options.show_output { context.progress().sink() } else { None };
    let output = sink.map(|sink| Forward::new("", move |_, lines| sink(lines)));
    let ran = run_once(&workspace, options, &folder, output, context).await;
    context.progress().done();
    let collected = collector.finish();
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error) => {
            // Nothing of it is worth keeping: the program did not begin.
            drop(std::fs::remove_dir_all(folder.path()));
            return Err(error);
        }
    };
    let mut missing = collected.missing;
    for problem in &outcome.report.unprobed {
        if !missing.contains(problem) {
            missing.push(problem.clone());
        }
    }
    let mut recorded = RecordingOutcome {
        ended: outcome.ended.to_string(),
        seconds: began.elapsed().as_secs_f64(),
        waited_s: collected.waited.as_secs_f64(),
        bytes: collected.bytes,
        missing,
        sites: Some(folder.sites_checksum()?),
        unreached: unreached(options.places.as_ref(), collected.reached),
    };
    about.recorded = Some(recorded.clone());
    if let Err(error) = folder.say(&about) {
        recorded.missing.push(format!("{error}: how the run ended is told here only"));
    }
    let whole = matches!(outcome.ended, Ended::Exited(_) | Ended::Driven);
    if matches!(outcome.ended, Ended::Interrupted) && context.is_interrupted() {
        return Err(SessionError::Interrupted);
    }
    // What it does not do now is done when it is read.
    let opened = RecordedTrace::open(&out, options.memory, context).await;
    if let Err(SessionError::Interrupted) = opened {
        return Err(SessionError::Interrupted);
    }
    // Compressed by now.
    let stored = std::fs::metadata(folder.events()).map_or(collected.stored, |file| file.len());
    let output = Some(outcome.tail.last(LINES)).filter(|text| recorded.bytes == 0 && !text.is_empty());
    // The checksum is for those who read the folder.
    let recorded = RecordingOutcome { sites: None, ..recorded };
    let mut notes = outcome.report.warnings;
    if about.redacted {
        notes.push(format!(
            "the command is kept without its secrets, as `{}`: `qp` cannot run it again for more detail (--keep-secrets keeps it as it is)",
            about.command.join(" ")
        ));
    }
    Ok(RecordedRun { folder: options.out.clone(), stored, recorded, whole, notes, output })
}

/// The places that were not reached.
fn unreached(places: Option<&Places>, (begun, ended): (bool, bool)) -> Vec<String> {
    let Some(Places { from, to }) = places else { return Vec::new() };
    let from = from.as_ref().filter(|_| !begun);
    let to = to.as_ref().filter(|_| !ended);
    [from, to].into_iter().flatten().map(ToString::to_string).collect()
}

async fn run_once(
    workspace: &Workspace,
    options: &RecordOptions,
    folder: &Folder,
    output: Option<Forward>,
    context: &Context,
) -> Result<run::Outcome, SessionError> {
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => return Err(SessionError::Interrupted),
    }
    let (scope, trust) = (options.scope.clone(), options.trust.clone());
    let level = options.level;
    let (window, places) = (options.window.clone(), options.places.clone());
    let recording =
        Recording { level, window, places, scope, trust, rings: folder.rings(), report: folder.sites() };
    let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
        Ok(Questions {
            queries: [].into(),
            tracked: [].into(),
            marks: run::Marks::default(),
            pool: Rc::new(workspace.pool(Some(facts)).map_err(Box::new)?),
            gates: None,
            recording: Some(recording.clone()),
        })
    };
    let template = workspace.template();
    let launch = Launch {
        template,
        output,
        interrupt: context.interrupt(),
        halt_at: None,
        more: None,
        aboard: Aboard::Recorder,
    };
    match run::execute(launch, &mut ask, &mut Nobody).await? {
        Stage::Over(outcome) => Ok(*outcome),
        Stage::Halted(halted) => Ok(halted.end().await),
    }
}
