//! Why a session has no answer.

use crate::chain::{ChainError, TranslateError};
use crate::classes::ClassesError;
use crate::debuggee::DebuggeeError;
use crate::locate::LocateError;
use crate::run::RunError;

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
    /// The user did not wait.
    #[error("interrupted")]
    Interrupted,
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
            | SessionError::NoClassPath { .. } => 2,
            SessionError::Classes(_)
            | SessionError::Debuggee(_)
            | SessionError::Stdin { .. }
            | SessionError::Locate(_)
            | SessionError::Run(_) => 4,
            SessionError::Interrupted => 130,
        }
    }
}
