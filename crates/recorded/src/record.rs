//! Records a run: launches the program once, and moves its events into a folder while it runs.

use super::open::sort_in_background;
use super::scope;
use super::secrets::Secrets;
use chain::Chain;
use classes::DefaultScope;
use debuggee::{Forward, StdinRecording};
use replay::single_run::NullObserver;
use run::{self, AgentRole, Ended, Launch, Questions, Recording};
use serde::Serialize;
use session::workspace::Workspace;
use session::{Context, SessionError, Wanted};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::{Duration, Instant};
use trace::{
    About, Brief, Checksum, Chosen, CollectedEvents, Collector, Driven, EventShares, Folder, IndexFollower,
    LARGE_RECORDING, Level, PartialIndex, Places, RecordingOutcome, Steering, TraceError, Window,
    WrittenFile,
};

/// What to record, and where.
#[derive(Clone, Debug, Default)]
pub struct RecordOptions {
    /// The folder. It must not exist.
    pub out: PathBuf,
    /// The level of detail.
    pub level: Level,
    /// Whether to choose the recorded classes by whose code they are: own code is recorded, libraries only
    /// without own code, test frameworks and launchers never (DESIGN §12). Needs an empty `scope`.
    pub by_owner: bool,
    /// Patterns of the classes to record. If empty, all classes outside the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes to exclude.
    pub trust: Vec<String>,
    /// Record only these calls.
    pub window: Option<Window>,
    /// Record only between these places.
    pub places: Option<Places>,
    /// Record only these methods and fields, instead of all at the level.
    pub chosen: Option<Chosen>,
    /// Methods to record in less detail.
    pub brief: Option<Brief>,
    /// A jump that goes another way than the program says. [`RecordingOutcome::steered`] tells how often.
    pub steering: Option<Steering>,
    /// The value that the program reads as `java.class.path`, if that is not what the VM uses. A reference
    /// stands first on the VM's class path, and the program must not see that.
    pub class_path_property: Option<String>,
    /// The most bytes that the events may take on disk: the oldest ones are dropped. `None` keeps all.
    pub max_size: Option<u64>,
    /// Memory limit for sorting, in bytes.
    pub memory: usize,
    /// Time limit of the run, in seconds.
    pub timeout_s: Option<u64>,
    /// Whether to show the program's output.
    pub show_output: bool,
    /// Receives the program's output, instead of the user.
    pub listener: Option<Forward>,
    /// What to remove from the recorded command.
    pub secrets: Secrets,
    /// Input for the program, if the chain names no file.
    pub stdin: Option<StdinRecording>,
}

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
    let run = Box::pin(run_once(&workspace, options, &folder, &about, output, context));
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
    let mut recorded = recording_outcome(options, &folder, &outcome, collected, seconds)?;
    about.recorded = Some(recorded.clone());
    if let Err(error) = folder.say(&about) {
        recorded.missing.push(format!("{error}: the recording does not say how the run ended"));
    }
    if matches!(outcome.ended, Ended::Interrupted) && context.is_interrupted() {
        return Err(SessionError::Interrupted);
    }
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
    Ok(RecordedRun { folder, stored, recorded, large, whole, exit_code, notes, output })
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

/// What the folder says of a recording before its run.
fn about_of(chain: &Chain, options: &RecordOptions) -> Result<About, SessionError> {
    let command = options.secrets.hide(&chain.debuggee.command);
    let mut about = About {
        redacted: command != chain.debuggee.command,
        command,
        cwd: std::path::absolute(Path::new(".").join(chain.cwd())).map_err(TraceError::at(&chain.cwd()))?,
        jvm: chain.debuggee.jvm.clone(),
        driven: Driven {
            before_run: options.secrets.hide(&chain.debuggee.before_run),
            drive: options.secrets.hide(&chain.debuggee.drive),
            ready: chain.debuggee.ready.as_ref().map(chain::Ready::text),
        },
        level: options.level,
        scope: options.scope.clone(),
        trust: options.trust.clone(),
        window: options.window.clone(),
        places: options.places.clone(),
        chosen: options.chosen.clone(),
        steering: options.steering.clone(),
        class_path_property: options.class_path_property.clone(),
        ..About::default()
    };
    about.signature = Wanted::of_recording(&options.out, &about).tag();
    Ok(about)
}

/// What the folder says of a recording after its run, which took this many seconds.
fn recording_outcome(
    options: &RecordOptions,
    folder: &Folder,
    outcome: &run::Outcome,
    collected: CollectedEvents,
    seconds: f64,
) -> Result<RecordingOutcome, SessionError> {
    let (begun, ended) = collected.reached;
    let checksums = outcome.tail.digests.each_ref().map(|of| Checksum { bytes: of.bytes, crc: of.crc });
    let files = collected.written_files.into_iter().map(|(path, was)| WrittenFile::now(path, was));
    Ok(RecordingOutcome {
        ended: outcome.ended.to_string(),
        seconds,
        waited_s: collected.waited.as_secs_f64(),
        bytes: collected.bytes,
        printed: Some(outcome.tail.printed),
        output: Some(checksums),
        files: Some(files.collect()),
        has_children: collected.has_children,
        missing: collected.missing,
        sites: Some(folder.sites_checksum()?),
        unreached: unreached(options.places.as_ref(), begun, ended),
        steered: options.steering.as_ref().map(|_| collected.steered),
    })
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

/// The places that were not reached.
fn unreached(places: Option<&Places>, begun: bool, ended: bool) -> Vec<String> {
    let Some(Places { from, to }) = places else { return Vec::new() };
    let from = from.as_ref().filter(|_| !begun);
    let to = to.as_ref().filter(|_| !ended);
    [from, to].into_iter().flatten().map(ToString::to_string).collect()
}

/// Sets the recorded classes to those chosen by default, without those that the user trusts.
fn choose(about: &mut About, options: &RecordOptions, chosen: DefaultScope) {
    let DefaultScope { scope, trust, summary } = chosen;
    about.scope = scope;
    about.trust = options.trust.clone();
    about.trust.extend(trust.into_iter().filter(|pattern| !options.trust.contains(pattern)));
    about.whose_code = summary;
}

async fn run_once(
    workspace: &Workspace,
    options: &RecordOptions,
    folder: &Folder,
    about: &RefCell<About>,
    output: Option<Forward>,
    context: &Context,
) -> Result<run::Outcome, SessionError> {
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => return Err(SessionError::Interrupted),
    }
    let mut ask = |facts: &run::VmFacts| questions(workspace, options, folder, about, facts);
    let template = workspace.template();
    let launch = Launch {
        template,
        output,
        interrupt: context.interrupt(),
        halt_at: None,
        more: None,
        agent_role: AgentRole::Recorder,
    };
    Ok(run::execute(launch, &mut ask, &mut NullObserver).await?.end().await)
}

/// What to record, once the VM says which classes there are. Keeps in the folder what it says.
fn questions(
    workspace: &Workspace,
    options: &RecordOptions,
    folder: &Folder,
    about: &RefCell<About>,
    facts: &run::VmFacts,
) -> Result<Questions, run::ObserverError> {
    let pool = workspace.pool(Some(facts)).map_err(Box::new)?;
    if options.by_owner && options.scope.is_empty() {
        // Only the VM of a wrapper says which classes there are.
        let mut about = about.borrow_mut();
        choose(&mut about, options, workspace.default_scope(&pool));
        folder.say(&about)?;
    }
    if !workspace.knows_classes().map_err(Box::new)? {
        // A build tool's class path can be a temporary jar, which names the real one.
        let mut about = about.borrow_mut();
        about.class_path = pool.places();
        folder.say(&about)?;
    }
    let about = about.borrow();
    let recording = Recording {
        level: options.level,
        window: options.window.clone(),
        places: options.places.clone(),
        class_path: options.class_path_property.clone(),
        chosen: options.chosen.clone(),
        brief: options.brief.clone(),
        steering: options.steering.clone(),
        is_script: workspace.template().script().is_some(),
        covers: false,
        scope: about.scope.clone(),
        trust: about.trust.clone(),
        rings: folder.rings(),
        report: folder.sites(),
    };
    Ok(Questions::of_recording(recording, pool))
}
