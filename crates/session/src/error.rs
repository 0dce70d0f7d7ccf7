//! The errors of sessions.

use assertions::AssertionError;
use chain::{ChainError, TranslateError};
use classes::ClassesError;
use debuggee::DebuggeeError;
use locate::LocateError;
use logic::LogicError;
use logic::rules::RulesError;
use past::PastError;
use run::RunError;
use slice::SliceError;
use std::path::PathBuf;
use std::sync::Arc;
use trace::TraceError;

/// The reason why a session has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The chain file is invalid.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// A question cannot have an answer, whatever the run does.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// The chain could not be serialised.
    #[error("the chain cannot be written: {0}")]
    Ron(#[from] ron::Error),
    /// Class files could not be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// The debuggee could not be built, launched or driven.
    #[error(transparent)]
    Debuggee(Box<DebuggeeError>),
    /// A file named by the chain could not be read.
    #[error("cannot read {path}: {source}; `stdin` is relative to `cwd`")]
    Stdin {
        /// The file.
        path: String,
        /// The cause.
        source: std::io::Error,
    },
    /// There are too many candidates, or the chain cannot be ordered.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The run could not be watched.
    #[error(transparent)]
    Run(Box<RunError>),
    /// The question needs probes, and this run has none.
    #[error("{id} asks for {what}: that needs probes, and {why}")]
    NeedsProbes {
        /// The point.
        id: Arc<str>,
        /// What the point asks for, and why the VM does not report it without probes.
        what: &'static str,
        /// Why there are no probes.
        why: String,
    },
    /// The recording does not have what a question needs.
    #[error("{id} has no answer in the recording {recording}: {why}")]
    NotInRecording {
        /// The point.
        id: Arc<str>,
        /// The recording, as the user named it.
        recording: String,
        /// What it lacks, and what to do.
        why: String,
    },
    /// The user asked for probes, but probes cannot answer.
    #[error("probes cannot answer: {0}; `--backend auto` falls back to JDWP events, which are slower")]
    Probes(String),
    /// The run cannot be recorded.
    #[error("this cannot be recorded: {0}")]
    NotRecorded(String),
    /// The re-execution differs from the recorded run.
    #[error(
        "the new run differs from the recorded one: call {call} is another one, or was not made. The details \
         of the first run are lost; this records a whole run in more detail: {command}"
    )]
    NotTheSame {
        /// The first call that differs.
        call: u32,
        /// The command that records the whole run in more detail.
        command: String,
    },
    /// More detail needs another run, but the recorded command lacks its secrets.
    #[error(
        "more detail needs another run of the program, but its command was kept without its secrets: \
         `{command}`. Record the run once more, with `--level {level}`, or with `--keep-secrets` so that it \
         can be run again"
    )]
    Redacted {
        /// The recorded command.
        command: String,
        /// The level of detail that is needed.
        level: trace::Level,
    },
    /// The stepper or view has no such event.
    #[error("{0}")]
    NoStep(String),
    /// A path names a part that the question does not have.
    #[error("there is no `{path}`: {why}")]
    NoPart {
        /// The path.
        path: String,
        /// How far the path leads.
        why: String,
    },
    /// The VM of the reference could not be started.
    #[error("the reference cannot be called: {0}; check its class path, and that `java` runs")]
    Reference(std::io::Error),
    /// The class path of the reference contains no class of the program.
    #[error(
        "--reference {class_path} has no class of the program that was recorded{missing}; name the folder or jar of the right version"
    )]
    NoReference {
        /// The class path as written.
        class_path: String,
        /// The missing elements of the class path.
        missing: String,
    },
    /// The answer file could not be read or written.
    #[error("{file}: {why}; name another file with --answers, or remove it", file = file.display())]
    Answers {
        /// The file.
        file: std::path::PathBuf,
        /// The cause.
        why: String,
    },
    /// The run recorded nothing.
    #[error(
        "nothing was recorded: {why}, and the program ended with {ended}{}",
        output.as_ref().map_or_else(String::new, |lines| format!("\nIts last output:\n{lines}"))
    )]
    NothingRecorded {
        /// The reason.
        why: String,
        /// How the program ended.
        ended: String,
        /// The last lines of its output.
        output: Option<String>,
    },
    /// A run that should pass fails.
    #[error(
        "`{command}` is no passing run: it ended with {ended}; leave it out, or correct it{}",
        if output.is_empty() { String::new() } else { format!("\nIts last output:\n{output}") }
    )]
    NotPassing {
        /// The command.
        command: String,
        /// How it ended.
        ended: String,
        /// The last lines of its output.
        output: String,
    },
    /// No strategy has this name.
    #[error("there is no strategy `{name}`: {there}")]
    NoStrategy {
        /// The name.
        name: String,
        /// The names of the strategies.
        there: String,
    },
    /// A recording is not packed, or a packed one is not opened.
    #[error("{path}: {why}")]
    Packed {
        /// The recording or the file.
        path: String,
        /// Why not, and what to do.
        why: String,
    },
    /// A recording could not be written or read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The recording does not contain what was asked for.
    #[error(transparent)]
    Past(PastError),
    /// A query has no answer.
    #[error(transparent)]
    Logic(LogicError),
    /// The rules or the goal are not valid.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// A file of rules cannot be read.
    #[error("{}: {error}", file.display())]
    RulesFile {
        /// The file.
        file: PathBuf,
        /// The reason.
        error: Arc<std::io::Error>,
    },
    /// A saved answer cannot be read or written.
    #[error("{}: {why}", file.display())]
    SavedAnswer {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: String,
    },
    /// Assertions could not be read, or do not fit the program.
    #[error(transparent)]
    Assertions(AssertionError),
    /// The VM did not report the hit counts.
    #[error("the VM did not report its hit counts at its end: {0}")]
    NotCounted(String),
    /// The command is a wrapper, so the class path is known only during a run.
    #[error(
        "{error} (`{program}` is not `java`, so the class path of the VM is known only when it runs: write the `java` \
         command itself, or run the chain with `qp replay`)"
    )]
    NoClassPath {
        /// The first word of the command.
        program: String,
        /// What was not found without the class path.
        error: TranslateError,
    },
    /// Classes may be missing because the build was not run.
    #[error("{0}; the build is due, and was not run: `--build` runs it")]
    NotBuilt(Box<TranslateError>),
    /// A file would run commands that the user has not allowed.
    #[error(
        "{file} was not written by your qp, and would run:\n{lines}Look at it, then say --trust; or at a \
         terminal, where you are asked once. QUERYPOINT_TRUST names folders whose files you trust"
    )]
    NotTrusted {
        /// The file.
        file: String,
        /// The commands that it would run.
        lines: String,
    },
    /// The user declined to run the file.
    #[error("{file} was not run")]
    Declined {
        /// The file.
        file: String,
    },
    /// A point cannot be removed alone: other points are asked from it.
    #[error("{dependents} asked from {ids}: remove all, with `remove {ids} {dependents}`")]
    StillAsked {
        /// The points to remove.
        ids: String,
        /// The points that are asked from them.
        dependents: String,
    },
    /// No point has this id.
    #[error("there is no point {id}; the points are: {}", if known.is_empty() { "none yet" } else { known })]
    NoSuchPoint {
        /// The id.
        id: String,
        /// The known ids.
        known: String,
    },
    /// No run has located the point.
    #[error("{id} has not been located yet: `run` first")]
    NotFoundYet {
        /// The id.
        id: String,
    },
    /// The run ended before it reached a point.
    #[error("{id} was not reached: the run was ended ({ended}). The answers of the previous run remain")]
    CutOff {
        /// The point.
        id: String,
        /// How the run ended.
        ended: run::Ended,
    },
    /// The program ended while the user inspected it.
    #[error("{0}; the program is gone, `run` halts it again")]
    Lost(Box<SessionError>),
    /// The user interrupted an evaluation that had called a method.
    #[error(
        "interrupted; a call in the program cannot be taken back, so the program was ended: `run` halts it again"
    )]
    CallInterrupted,
    /// The command cannot be used during a run.
    #[error("a run is in progress: wait for its end, or interrupt it with Ctrl-C")]
    RunIsOn,
    /// The chain has no points.
    #[error(
        "nothing is asked yet: begin with the place where the state is wrong, as in `break Intro:31 when foo == null`"
    )]
    NothingAsked,
    /// No program is halted.
    #[error("{0}; `run` halts it at the last point that is located")]
    NotHalted(String),
    /// The program is halted at a place that no point names.
    #[error("the program stands at {place}, which no point asks for; `break {place}` adds one to ask from")]
    AtNoPoint {
        /// `Class:line`.
        place: String,
    },
    /// A text is not a Java expression.
    #[error("`{text}` is no expression: {reason}")]
    BadExpression {
        /// The text.
        text: String,
        /// The reason.
        reason: String,
    },
    /// The source file was not found.
    #[error(
        "there is no source of {class} here: name its folder with --source, or in `sources` of the chain"
    )]
    NoSource {
        /// The class.
        class: String,
    },
    /// The source file has fewer lines.
    #[error("{file} has {lines} lines")]
    NoSuchLine {
        /// The file.
        file: String,
        /// Its number of lines.
        lines: usize,
    },
    /// The stack has fewer frames.
    #[error("there is no frame {frame}: the stack has {frames}, and 0 is the newest")]
    NoSuchFrame {
        /// The frame.
        frame: i32,
        /// The number of frames.
        frames: usize,
    },
    /// The run with this number has no answer.
    #[error("run {run} has no answer; those that have one: {}", if known.is_empty() { "none yet" } else { known })]
    NoSuchRun {
        /// The run.
        run: u32,
        /// The runs that have an answer.
        known: String,
    },
    /// There are fewer than two answers to compare.
    #[error("there are no two runs to compare yet")]
    NothingToCompare,
    /// The user interrupted the work.
    #[error("interrupted")]
    Interrupted,
}

impl From<LogicError> for SessionError {
    fn from(error: LogicError) -> SessionError {
        match error {
            LogicError::Past(error) => error.into(),
            other => SessionError::Logic(other),
        }
    }
}

impl From<PastError> for SessionError {
    fn from(error: PastError) -> SessionError {
        match error {
            PastError::Trace(error) => SessionError::Trace(error),
            PastError::Classes(error) => SessionError::Classes(error),
            PastError::NoStep(why) => SessionError::NoStep(why),
            PastError::Interrupted => SessionError::Interrupted,
            other => SessionError::Past(other),
        }
    }
}

impl From<SliceError> for SessionError {
    fn from(error: SliceError) -> SessionError {
        match error {
            SliceError::Trace(error) => SessionError::Trace(error),
            SliceError::Interrupted => SessionError::Interrupted,
        }
    }
}

impl From<AssertionError> for SessionError {
    fn from(error: AssertionError) -> SessionError {
        match error {
            AssertionError::Trace(error) => SessionError::Trace(error),
            AssertionError::Past(error) => error.into(),
            AssertionError::Chain(error) => SessionError::Chain(error),
            other => SessionError::Assertions(other),
        }
    }
}

impl From<ClassesError> for SessionError {
    fn from(error: ClassesError) -> SessionError {
        SessionError::Classes(Box::new(error))
    }
}

impl From<DebuggeeError> for SessionError {
    fn from(error: DebuggeeError) -> SessionError {
        SessionError::Debuggee(Box::new(error))
    }
}

impl From<RunError> for SessionError {
    fn from(error: RunError) -> SessionError {
        match error {
            RunError::Debuggee(e) => e.into(),
            // Unwraps an error that the session itself raised during the run.
            RunError::Observer(e) => match e.downcast::<SessionError>() {
                Ok(own) => *own,
                Err(e) => SessionError::Run(Box::new(RunError::Observer(e))),
            },
            other => SessionError::Run(Box::new(other)),
        }
    }
}

impl SessionError {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match self {
            SessionError::Chain(_)
            | SessionError::Translate(_)
            | SessionError::Ron(_)
            | SessionError::StillAsked { .. }
            | SessionError::NoSuchPoint { .. }
            | SessionError::NotFoundYet { .. }
            | SessionError::RunIsOn
            | SessionError::NothingAsked
            | SessionError::NotHalted(_)
            | SessionError::AtNoPoint { .. }
            | SessionError::BadExpression { .. }
            | SessionError::NoSource { .. }
            | SessionError::NoSuchLine { .. }
            | SessionError::NoSuchFrame { .. }
            | SessionError::NoSuchRun { .. }
            | SessionError::NothingToCompare
            | SessionError::NotRecorded(_)
            | SessionError::Packed { .. }
            | SessionError::NoStep(_)
            | SessionError::NoPart { .. }
            | SessionError::NoReference { .. }
            | SessionError::NotBuilt(_)
            | SessionError::NotTrusted { .. }
            | SessionError::Declined { .. }
            | SessionError::Redacted { .. }
            | SessionError::NoStrategy { .. }
            | SessionError::NotPassing { .. }
            | SessionError::NothingRecorded { .. }
            | SessionError::Answers { .. }
            | SessionError::Past(_)
            | SessionError::Logic(_)
            | SessionError::Rules(_)
            | SessionError::RulesFile { .. }
            | SessionError::SavedAnswer { .. }
            | SessionError::Assertions(_)
            | SessionError::Trace(
                TraceError::PartialRecording
                | TraceError::Exists(_)
                | TraceError::NoRecording(_)
                | TraceError::Format { .. },
            )
            | SessionError::NoClassPath { .. } => 2,
            SessionError::Classes(_)
            | SessionError::Debuggee(_)
            | SessionError::Stdin { .. }
            | SessionError::Locate(_)
            | SessionError::Run(_)
            | SessionError::Probes(_)
            | SessionError::NotCounted(_)
            | SessionError::Trace(_)
            | SessionError::NotTheSame { .. }
            | SessionError::NeedsProbes { .. }
            | SessionError::NotInRecording { .. }
            | SessionError::Reference(_)
            | SessionError::Lost(_) => 4,
            SessionError::CutOff { .. } | SessionError::CallInterrupted | SessionError::Interrupted => 130,
        }
    }
}
