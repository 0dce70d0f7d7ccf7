//! The commands of `qp`: what each takes, what it does and what it returns. Front ends render the results.
//!
//! A command has its arguments (`clap::Args`), what it does, and a typed result with an exit code: it is a
//! [`Command`]. One that describes the command line itself is a [`Describe`]. Of a command that runs a
//! dialogue only the arguments are here. To add a command, write a file here, say in `ui::render` how its
//! result reads, and add a row to `ui::table`. This room may use `session` and `chain`.

pub mod bisect;
pub mod check;
pub mod completions;
pub mod debug;
pub mod diagnose;
pub mod diff;
pub mod exchange;
pub mod explain;
pub mod man;
pub mod program;
pub mod replay;
pub mod secrets;
pub mod trace;
pub mod trust;
mod value_question;
pub mod why;

use crate::chain::Chain;
use crate::session::{self, Context, SessionError};
use std::path::{Path, PathBuf};

/// A command that ends with a result.
pub trait Command: clap::Args {
    /// What it gives.
    type Output: Outcome;

    /// The exit code where it cannot begin, since its arguments cannot be read or the system refuses;
    /// none: the general one.
    const CANNOT_BEGIN: Option<u8> = None;

    /// Whether the user lets files of others have their commands run, without being asked.
    fn trusts(&self) -> bool {
        false
    }

    /// Does it.
    ///
    /// # Errors
    /// There is no result.
    fn execute(&self, context: &Context) -> impl Future<Output = Result<Self::Output, CommandError>>;
}

/// What a command gives: data, which front ends show as text or as JSON.
pub trait Outcome: serde::Serialize {
    /// The exit code of DESIGN §7.
    fn exit_code(&self) -> u8;

    /// The exit code where the result could not be written.
    fn exit_code_unwritten(&self) -> u8 {
        self.exit_code().max(4)
    }
}

/// A command that describes the command line of which it is a part.
pub trait Describe: clap::Args {
    /// Does it: the text to print.
    ///
    /// # Errors
    /// There is nothing to print.
    fn describe(&self, line: clap::Command) -> Result<String, CommandError>;
}

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
