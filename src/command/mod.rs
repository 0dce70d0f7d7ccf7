//! The commands of `qp`: what each takes, what it does and what it returns. Front ends render the results.
//!
//! Adding a command is one file here and one row in the table of `ui::cli`. This room may use `session` and what lies
//! below it.

pub mod bisect;
pub mod check;
pub mod debug;
pub mod explain;
pub mod program;
pub mod replay;
pub mod why;

use crate::session::SessionError;

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The chain or its questions cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// An argument cannot be used.
    #[error("{0}")]
    Usage(String),
    /// A file could not be written.
    #[error("cannot write {path}: {source}; check the folder and its permissions")]
    Write {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

impl CommandError {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Session(e) => e.exit_code(),
            CommandError::Usage(_) => 2,
            CommandError::Write { .. } => 4,
        }
    }
}
