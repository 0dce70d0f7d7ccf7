//! The VMs that call methods of one version of a program.

use super::Launcher;
use files::TemporaryFolder;
use session::SessionError;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Stdio;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Time limit for a call.
const PATIENCE: Duration = Duration::from_secs(10);

macro_rules! class_files {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../../java/reference/", $name)).as_slice())),*]
    };
}

/// The class files that call methods.
const CLASSES: [(&str, &[u8]); 10] = class_files![
    "QuerypointReference.class",
    "QuerypointReferenceClasses.class",
    "QuerypointReferenceComparison.class",
    "QuerypointReferenceContent.class",
    "QuerypointReferenceIdentity.class",
    "QuerypointReferenceJson.class",
    "QuerypointReferenceObjects.class",
    "QuerypointReferencePrinted.class",
    "QuerypointReferenceShape.class",
    "QuerypointReferenceUnknown.class"
];

/// Options of the VMs. All new objects get the same identity hash code, so two VMs cannot differ in them. The
/// objects that a call is given keep their own.
/// Code of immutable sets and maps is not compiled: `QuerypointReferenceIdentity` sets the constants that
/// order them, and the VM compiles them into that code while it starts.
///
/// The fields of records are set by the JDK's internal `Unsafe`; the public one refuses.
const OPTIONS: [&str; 7] = [
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UnlockExperimentalVMOptions",
    "-XX:hashCode=2",
    "-XX:CompileCommand=quiet",
    "-XX:CompileCommand=exclude,java/util/ImmutableCollections*.*",
];

/// Writes the class files to a folder, which is removed when the value is dropped.
pub(super) fn classes() -> std::io::Result<Rc<TemporaryFolder>> {
    let folder = TemporaryFolder::new("qp-reference-")?;
    for (name, bytes) in CLASSES {
        std::fs::write(folder.path().join(name), bytes)?;
    }
    Ok(Rc::new(folder))
}

/// A version of a program.
pub(super) struct ProgramVersion {
    java: PathBuf,
    options: Vec<String>,
    cwd: PathBuf,
    class_path: OsString,
    classes: Rc<TemporaryFolder>,
}

/// The answer of a VM about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum VmAnswer {
    /// The VM does the same.
    Valid,
    /// The VM does something else, as described.
    Invalid(String),
    /// The VM cannot decide, for this reason.
    Unknown(String),
    /// The VM has ended.
    Ended,
    /// The call takes longer than this many seconds.
    Slow(u64),
}

impl VmAnswer {
    fn of(answer: &str) -> VmAnswer {
        let (word, why) = answer.split_once(' ').unwrap_or((answer, ""));
        match word {
            "valid" => VmAnswer::Valid,
            "invalid" => VmAnswer::Invalid(why.to_owned()),
            _ => VmAnswer::Unknown(why.to_owned()),
        }
    }

    /// The answer as text.
    pub fn text(&self) -> String {
        match self {
            VmAnswer::Valid => "it does the same".to_owned(),
            VmAnswer::Invalid(why) | VmAnswer::Unknown(why) => why.clone(),
            VmAnswer::Ended => "its VM ended".to_owned(),
            VmAnswer::Slow(seconds) => format!("it takes more than {seconds} s"),
        }
    }
}

impl ProgramVersion {
    pub fn new(launcher: &Launcher, class_path: OsString, classes: Rc<TemporaryFolder>) -> ProgramVersion {
        let Launcher { java, options, cwd, .. } = launcher.clone();
        ProgramVersion { java, options, cwd, class_path, classes }
    }

    /// Starts a VM.
    pub fn start(&self) -> Result<Vm, SessionError> {
        self.started().map_err(SessionError::Reference)
    }

    fn started(&self) -> std::io::Result<Vm> {
        let mut class_path = self.classes.path().as_os_str().to_owned();
        class_path.push(":");
        class_path.push(&self.class_path);
        let mut command = Command::new(&self.java);
        command.args(&self.options).args(OPTIONS).arg("-cp").arg(class_path).arg("QuerypointReference");
        command.current_dir(&self.cwd).env_remove("JAVA_TOOL_OPTIONS").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let gone = || std::io::Error::other("it has no streams");
        let questions = child.stdin.take().ok_or_else(gone)?;
        let answers = BufReader::new(child.stdout.take().ok_or_else(gone)?).lines();
        Ok(Vm { questions, answers, child })
    }
}

/// A running VM.
pub(super) struct Vm {
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    child: Child,
}

impl Vm {
    /// Asks about a call, described by one line of JSON. Also returns whether the VM can be asked again.
    pub async fn ask(&mut self, line: &str) -> (VmAnswer, bool) {
        let asked = async {
            self.questions.write_all(line.as_bytes()).await?;
            self.questions.flush().await?;
            self.answers.next_line().await
        };
        match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Ok(Some(answer))) => (VmAnswer::of(&answer), true),
            Ok(Ok(None) | Err(_)) => (VmAnswer::Ended, false),
            Err(_) => (VmAnswer::Slow(PATIENCE.as_secs()), false),
        }
    }
}

/// How long to wait between two checks whether a killed VM has ended, and how many checks: 20 s in all. A
/// busy machine can take seconds to end a VM.
const END: (Duration, u32) = (Duration::from_millis(5), 4_000);

impl Drop for Vm {
    /// Waits until the VM has ended, so that none outlives `qp`.
    fn drop(&mut self) {
        let _ = self.child.start_kill();
        let (step, most) = END;
        for _ in 0..most {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(step);
        }
    }
}
