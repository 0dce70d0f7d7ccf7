//! Why a session has no answer.

use crate::assertions::AssertionError;
use crate::chain::{ChainError, TranslateError};
use crate::classes::ClassesError;
use crate::debuggee::DebuggeeError;
use crate::inspect::InspectError;
use crate::locate::LocateError;
use crate::run::RunError;
use crate::slice::SliceError;
use crate::trace::TraceError;
use std::sync::Arc;

/// Why a session has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The chain file is bad.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// A question is surely wrong.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// The chain could not be written.
    #[error("the chain cannot be written: {0}")]
    Ron(#[from] ron::Error),
    /// Class files cannot be read.
    #[error(transparent)]
    Classes(Box<ClassesError>),
    /// The debuggee cannot be built, launched or driven.
    #[error(transparent)]
    Debuggee(Box<DebuggeeError>),
    /// A file that the chain names cannot be read.
    #[error("cannot read {path}: {source}; `stdin` is relative to `cwd`")]
    Stdin {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// Too many candidates, or a chain that cannot be ordered.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The run could not be watched.
    #[error(transparent)]
    Run(Box<RunError>),
    /// Only probes could answer.
    #[error("{id} asks for {what}: that needs probes, and {why}")]
    NeedsProbes {
        /// The point.
        id: Arc<str>,
        /// What it asks for, and why the VM by itself does not tell that.
        what: &'static str,
        /// Why there are none.
        why: String,
    },
    /// Probes were asked for and cannot answer.
    #[error("probes cannot answer: {0}; `--backend auto` falls back to JDWP events, which are slower")]
    Probes(String),
    /// A run cannot be recorded.
    #[error("this cannot be recorded: {0}")]
    NotRecorded(String),
    /// The program did something else when it was run again.
    #[error(
        "the program did not do the same again: call {call} is another one, or was not made. What it did the first time is \
         lost; this records the whole run with more at once: {command}"
    )]
    NotTheSame {
        /// The first call that differs.
        call: u32,
        /// The command that records all.
        command: String,
    },
    /// The program would have to be run again, and its command is not known.
    #[error(
        "the program has to be run again for more detail, and its command was kept without its secrets: `{command}`. Record \
         the run once more, with `--level {level}`, or with `--keep-secrets` so that it can be run again"
    )]
    Redacted {
        /// The command as it was kept.
        command: String,
        /// How much is wanted.
        level: crate::trace::Level,
    },
    /// There is no event to go to.
    #[error("{0}")]
    NoStep(String),
    /// Somebody has pointed at a part of a question that it does not have.
    #[error("there is no `{path}`: {why}")]
    NoPart {
        /// What was written.
        path: String,
        /// How far it leads.
        why: String,
    },
    /// The right version of a program cannot be called.
    #[error("the reference cannot be called: {0}; check its class path, and that `java` runs")]
    Reference(std::io::Error),
    /// The class path of a right version has no class of the program.
    #[error(
        "--reference {class_path} has no class of the program that was recorded{missing}; name the folder or jar of the right version"
    )]
    NoReference {
        /// As it was written.
        class_path: String,
        /// What of it is not there.
        missing: String,
    },
    /// Answers cannot be kept.
    #[error("{file}: {why}; name another file with --answers, or remove it", file = file.display())]
    Answers {
        /// Where.
        file: std::path::PathBuf,
        /// Why.
        why: String,
    },
    /// Nothing was recorded.
    #[error(
        "nothing was recorded: {why}, and the program ended with {ended}{}",
        output.as_ref().map_or_else(String::new, |lines| format!("\nIts last output:\n{lines}"))
    )]
    NothingRecorded {
        /// Why.
        why: String,
        /// How the program ended.
        ended: String,
        /// The last lines that it printed.
        output: Option<String>,
    },
    /// There is no such strategy.
    #[error("there is no strategy `{name}`: {there}")]
    NoStrategy {
        /// What was named.
        name: String,
        /// Those that there are.
        there: String,
    },
    /// A recorded run cannot be kept or read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A recording does not have what is to be shown.
    #[error(transparent)]
    Inspect(InspectError),
    /// Assertions cannot be read, or mean nothing for the program.
    #[error(transparent)]
    Assertions(AssertionError),
    /// A run that was to count hits did not tell them.
    #[error("the hits are not known, since the VM did not tell them at its end: {0}")]
    NotCounted(String),
    /// Without a run little is known of a wrapper's classes.
    #[error(
        "{error} (`{program}` is not `java`, so the class path of the VM is known only when it runs: write the `java` \
         command itself, or run the chain with `qp replay`)"
    )]
    NoClassPath {
        /// The first word of the command.
        program: String,
        /// What could not be found without it.
        error: TranslateError,
    },
    /// The classes may be missing because nothing was built.
    #[error("{0}; the build is due, and was not run: `--build` runs it")]
    NotBuilt(Box<TranslateError>),
    /// A file has commands run, and nobody has said that it may.
    #[error(
        "{file} was not written by your qp, and would have this run:\n{lines}Look at it, then say --trust; or at a terminal, \
         where you are asked once. QUERYPOINT_TRUST names folders whose files you trust"
    )]
    NotTrusted {
        /// The file.
        file: String,
        /// What it has run.
        lines: String,
    },
    /// A person has said no.
    #[error("{file} was not run")]
    Declined {
        /// The file.
        file: String,
    },
    /// A point that is asked from is to be removed.
    #[error("{dependents} asked from {ids}: remove all, with `remove {ids} {dependents}`")]
    StillAsked {
        /// What is to be removed.
        ids: String,
        /// The points that are asked from it.
        dependents: String,
    },
    /// No point has this id.
    #[error("there is no point {id}; the points are: {}", if known.is_empty() { "none yet" } else { known })]
    NoSuchPoint {
        /// The id.
        id: String,
        /// The ids there are.
        known: String,
    },
    /// No run has located the point.
    #[error("{id} has not been located yet: `run` first")]
    NotFoundYet {
        /// The id.
        id: String,
    },
    /// The run was ended on its way to a point.
    #[error("{id} was not reached: the run was ended ({ended}). The answers of the run before stay")]
    CutOff {
        /// The point.
        id: String,
        /// How.
        ended: crate::run::Ended,
    },
    /// The program was lost while it was looked at.
    #[error("{0}; the program is gone, `run` halts it again")]
    Lost(Box<SessionError>),
    /// A call that the user did not wait for.
    #[error(
        "interrupted; a call in the program cannot be taken back, so the program was ended: `run` halts it again"
    )]
    CallInterrupted,
    /// What cannot be done while the program runs.
    #[error("a run is on: wait for its end, or interrupt it with Ctrl-C")]
    RunIsOn,
    /// There is no point to look for.
    #[error(
        "nothing is asked yet: begin with the place where the state is wrong, as in `break Intro:31 when foo == null`"
    )]
    NothingAsked,
    /// There is no live program.
    #[error("{0}; `run` halts it at the last point that is located")]
    NotHalted(String),
    /// The program stands still at no point.
    #[error("the program stands at {place}, which no point asks for; `break {place}` adds one to ask from")]
    AtNoPoint {
        /// `Class:line`.
        place: String,
    },
    /// A text is no Java expression.
    #[error("`{text}` is no expression: {reason}")]
    BadExpression {
        /// The text.
        text: String,
        /// Why.
        reason: String,
    },
    /// There is no such line to show.
    #[error(
        "there is no source of {class} here: name its folder with --source, or in `sources` of the chain"
    )]
    NoSource {
        /// The class.
        class: String,
    },
    /// The source is shorter.
    #[error("{file} has {lines} lines")]
    NoSuchLine {
        /// The file.
        file: String,
        /// How many it has.
        lines: usize,
    },
    /// The stack is not that deep.
    #[error("there is no frame {frame}: the stack has {frames}, and 0 is the newest")]
    NoSuchFrame {
        /// The frame.
        frame: i32,
        /// How many there are.
        frames: usize,
    },
    /// No run of this number has an answer.
    #[error("run {run} has no answer; those that have one: {}", if known.is_empty() { "none yet" } else { known })]
    NoSuchRun {
        /// The run.
        run: u32,
        /// The runs that have one.
        known: String,
    },
    /// There are not two answers.
    #[error("there are no two runs to compare yet")]
    NothingToCompare,
    /// The user did not wait.
    #[error("interrupted")]
    Interrupted,
}

impl From<InspectError> for SessionError {
    fn from(error: InspectError) -> SessionError {
        match error {
            InspectError::Trace(error) => SessionError::Trace(error),
            other => SessionError::Inspect(other),
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
            AssertionError::Inspect(error) => error.into(),
            AssertionError::Chain(error) => SessionError::Chain(error),
            AssertionError::Classes(error) => SessionError::Classes(error),
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
            // What the session itself said while the run was on comes back as it was.
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
            | SessionError::NoStep(_)
            | SessionError::NoPart { .. }
            | SessionError::NoReference { .. }
            | SessionError::NotBuilt(_)
            | SessionError::NotTrusted { .. }
            | SessionError::Declined { .. }
            | SessionError::Redacted { .. }
            | SessionError::NoStrategy { .. }
            | SessionError::NothingRecorded { .. }
            | SessionError::Answers { .. }
            | SessionError::Inspect(_)
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
            | SessionError::Reference(_)
            | SessionError::Lost(_) => 4,
            SessionError::CutOff { .. } | SessionError::CallInterrupted | SessionError::Interrupted => 130,
        }
    }
}
