//! The commands of `qp`: their arguments, their work and their results. Front ends render the results.
//!
//! A [`Command`] has arguments (`clap::Args`), a function that executes it, and a typed result with an exit
//! code. A [`Describe`] prints something about the command line itself. An interactive command has its
//! arguments and its `dialogue` here; a front end leads the dialogue. To add a command, write a file here,
//! render its result in `ui::render`, and add a row to `ui::table`. The
//! commands that serve other programs are in `servers`.

pub mod bisect;
pub mod catch;
pub mod check;
pub mod completions;
pub mod cursor;
pub mod debug;
pub mod diagnose;
pub mod diff;
pub mod exchange;
pub mod explain;
pub mod line;
pub mod log;
pub mod man;
pub mod omitted;
pub mod point_ids;
pub mod program;
pub mod prompt_row;
pub mod query;
pub mod recorded_question;
pub mod recording_args;
pub mod replay;
pub mod secrets;
pub mod test;
pub mod trace;
pub mod trust;
pub mod value_question;
pub mod why;

use chain::Chain;
use past::PastError;
use project::ProjectError;
use session::{Context, SessionError};
use std::path::{Path, PathBuf};

/// A command that ends with a result.
pub trait Command: clap::Args {
    /// Its result.
    type Output: Outcome;

    /// The exit code when it cannot begin, because its arguments are wrong or the system refuses. None: the
    /// general code.
    const CANNOT_BEGIN: Option<u8> = None;

    /// Whether the user allows commands in files from others to run without a question.
    fn trusts(&self) -> bool {
        false
    }

    /// Executes the command.
    ///
    /// # Errors
    /// The command has no result.
    fn execute(&self, context: &Context) -> impl Future<Output = Result<Self::Output, CommandError>>;
}

/// The result of a command: data that front ends show as text or as JSON.
pub trait Outcome: serde::Serialize {
    /// The exit code of DESIGN §7.
    fn exit_code(&self) -> u8;

    /// The exit code when the result could not be written.
    fn exit_code_unwritten(&self) -> u8 {
        self.exit_code().max(4)
    }
}

/// A command that describes the command line it belongs to.
pub trait Describe: clap::Args {
    /// Returns the text to print.
    ///
    /// # Errors
    /// The text cannot be made.
    fn describe(&self, line: clap::Command) -> Result<String, CommandError>;
}

/// The reason why a command has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// The chain or its questions are unusable, or the session failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// An argument is wrong.
    #[error("{0}")]
    Usage(String),
    /// A test of a project cannot be launched.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// A file could not be written.
    #[error("cannot write {path}: {source}; check the folder and its permissions")]
    Write {
        /// The file.
        path: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// `qp` cannot read its own standard input, because the system starts no thread for it.
    #[error(
        "cannot read the standard input: {0}; end other programs, or raise the limit of processes (`ulimit -u`)"
    )]
    Input(std::io::Error),
}

impl From<PastError> for CommandError {
    fn from(error: PastError) -> CommandError {
        SessionError::from(error).into()
    }
}

/// Writes a chain to a file. The chain must already be portable to that place. If the chain is the user's
/// own, its commands are trusted from now on.
///
/// # Errors
/// The file cannot be written.
pub fn save_chain(chain: &Chain, file: &Path, is_own: bool) -> Result<(), CommandError> {
    let text = chain.to_ron().map_err(SessionError::from)?;
    files::write_whole(file, text).map_err(unwritten(file))?;
    if is_own {
        session::trust_written(file);
    }
    Ok(())
}

/// Writes the program's recorded input to a file beside the chain's, and names it in the chain.
fn save_input(chain: &mut Chain, file: &Path, input: &[u8]) -> Result<PathBuf, CommandError> {
    let beside = file.with_extension("stdin");
    files::write_private(&beside, input).map_err(unwritten(&beside))?;
    chain.debuggee.stdin = Some(session::seen_from_cwd(chain, file, &beside));
    Ok(beside)
}

/// The error of a path that cannot be written.
pub fn unwritten(path: &Path) -> impl FnOnce(std::io::Error) -> CommandError {
    let path = path.display().to_string();
    move |source| CommandError::Write { path, source }
}

impl CommandError {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match self {
            CommandError::Session(e) => e.exit_code(),
            CommandError::Usage(_) => 2,
            CommandError::Project(e) => {
                if e.is_of_tool() {
                    4
                } else {
                    2
                }
            }
            CommandError::Write { .. } | CommandError::Input(_) => 4,
        }
    }
}
