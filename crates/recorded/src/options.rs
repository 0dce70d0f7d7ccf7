//! What to record, and what the folder of a recording says of it.

use super::secrets::Secrets;
use chain::{Chain, Debuggee};
use classes::{ClassPool, DefaultScope};
use debuggee::{Forward, StdinRecording};
use run::{ObserverError, Recording, VmFacts};
use session::workspace::Workspace;
use session::{SessionError, Wanted};
use std::path::{Path, PathBuf};
use trace::{
    About, Brief, Chosen, CollectedEvents, Driven, Folder, Level, Places, RecordingOutcome, Steering,
    TraceError, Window, WrittenFile,
};

/// What a recording of a program that is driven takes on disk at most, in bytes.
const OF_DRIVEN: u64 = 4_000_000_000;

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
    /// Whether to record the other VMs of the command too, each in a folder of its own inside `out`.
    pub all_jvms: bool,
}

/// The most bytes that a recording of a program takes on disk by default: a server can run for long.
pub fn default_max_size(program: &Debuggee) -> Option<u64> {
    (!program.drive.is_empty()).then_some(OF_DRIVEN)
}

/// What the folder says of a recording before its run.
pub fn about_of(chain: &Chain, options: &RecordOptions) -> Result<About, SessionError> {
    let command = options.secrets.hide(&chain.debuggee.command);
    let mut about = About {
        redacted: command != chain.debuggee.command,
        command,
        cwd: std::path::absolute(Path::new(".").join(chain.cwd())).map_err(TraceError::at(&chain.cwd()))?,
        jvm: chain.debuggee.jvm.clone(),
        pins: chain.debuggee.pins.clone(),
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
pub fn recording_outcome(
    options: &RecordOptions,
    folder: &Folder,
    ended: String,
    collected: CollectedEvents,
    seconds: f64,
) -> Result<RecordingOutcome, SessionError> {
    let (begun, reached_end) = collected.reached;
    let files = collected.written_files.into_iter().map(|(path, was)| WrittenFile::now(path, was));
    Ok(RecordingOutcome {
        ended,
        seconds,
        waited_s: collected.waited.as_secs_f64(),
        bytes: collected.bytes,
        printed: None,
        output: None,
        files: Some(files.collect()),
        has_children: collected.has_children,
        has_sockets: collected.has_sockets,
        missing: collected.missing,
        overflows: collected.overflows,
        sites: Some(folder.sites_checksum()?),
        unreached: unreached(options.places.as_ref(), begun, reached_end),
        steered: options.steering.as_ref().map(|_| collected.steered),
    })
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

/// What to record, once the VM says which classes there are. Keeps in the folder what it says.
pub fn recording_of(
    workspace: &Workspace,
    options: &RecordOptions,
    folder: &Folder,
    about: &mut About,
    facts: &VmFacts,
) -> Result<(Recording, ClassPool), ObserverError> {
    let pool = workspace.pool(Some(facts)).map_err(Box::new)?;
    if options.by_owner && options.scope.is_empty() {
        // Only the VM of a wrapper says which classes there are.
        choose(about, options, workspace.default_scope(&pool));
        folder.say(about)?;
    }
    if !workspace.knows_classes().map_err(Box::new)? {
        // A build tool's class path can be a temporary jar, which names the real one.
        about.class_path = pool.places();
        folder.say(about)?;
    }
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
    Ok((recording, pool))
}
