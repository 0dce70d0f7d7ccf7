//! The commands of `qp`: what each takes, what it does and what it returns. Front ends render the results.
//!
//! Adding a command is one file here and one row in the table of `ui::cli`. This room may use `session` and
//! what lies below it.

pub mod bisect;
pub mod check;
pub mod debug;
pub mod diagnose;
pub mod diff;
pub mod exchange;
pub mod explain;
pub mod program;
pub mod replay;
pub mod secrets;
pub mod trace;
pub mod trust;
mod value_question;
pub mod why;

use crate::chain::Chain;
use crate::session::{self, SessionError};
use std::path::{Path, PathBuf};

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
    /// `qp`'s own standard input cannot be read: the system gives no thread for it.
    #[error(
        "cannot read the standard input: {0}; end other programs, or raise the limit of processes (`ulimit -u`)"
    )]
    Input(std::io::Error),
}

/// Writes a chain, which is portable to there, to its file. What it has run is trusted if it is the user's
/// own.
fn save_chain(chain: &Chain, file: &Path, is_own: bool) -> Result<(), CommandError> {
    let text = chain.to_ron().map_err(SessionError::from)?;
    session::write_whole(file, text).map_err(unwritten(file))?;
    if is_own {
        session::trust_written(file);
    }
    Ok(())
}

/// Writes what the program has read to a file beside the chain's, and names it in the chain.
fn save_input(chain: &mut Chain, file: &Path, input: &[u8]) -> Result<PathBuf, CommandError> {
    let beside = file.with_extension("stdin");
    session::write_private(&beside, input).map_err(unwritten(&beside))?;
    chain.debuggee.stdin = Some(session::seen_from_cwd(chain, file, &beside));
    Ok(beside)
}

fn unwritten(path: &Path) -> impl FnOnce(std::io::Error) -> CommandError {
    let path = path.display().to_string();
    move |source| CommandError::Write { path, source }
}

impl CommandError {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Session(e) => e.exit_code(),
            CommandError::Usage(_) => 2,
            CommandError::Write { .. } | CommandError::Input(_) => 4,
        }
    }
}
