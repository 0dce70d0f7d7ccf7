//! `qp mcp`: the arguments, and the tools that an agent calls.
//!
//! Each tool has a file: its typed arguments, its work and its typed result ([`Tool`], [`Works`]). The tools
//! share a [`Workbench`] with the recordings, answers and diagnoses of the session. `permission` knows what
//! may run and which files may be read; `handle` has the names by which tools refer to things.

mod calls;
mod diagnose;
mod events;
mod find;
mod handle;
mod history;
mod level;
mod output_lines;
mod permission;
mod record;
mod replay;
mod state;
mod wait;
mod why;
mod workbench;

pub use calls::{CallRow, Calls, CallsResult};
pub use diagnose::{AnswerWord, BuggyRow, Diagnose, DiagnoseResult, QuestionRow};
pub use events::{EventRow, Events, EventsResult};
pub use find::{Find, FindResult, FoundRow};
pub use handle::{CallHandle, TraceHandle};
pub use history::{History, HistoryResult};
pub use permission::{Permissions, RunnableProgram};
pub use record::{Record, RecordResult};
pub use replay::{Replay, ReplayResult};
pub use state::{State, StateResult};
pub use wait::{Wait, WaitResult};
pub use why::{ChainAnswer, Why, WhyResult};
pub use workbench::{MEMORY, Workbench};

use command::CommandError;
use command::program::{LaunchArgs, SourceArgs, TestArgs};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use session::Context;
use std::path::PathBuf;

/// The skill file that ships with the server.
pub const SKILL: &str = include_str!("SKILL.md");

/// Serves an agent: speaks the Model Context Protocol on standard input and output
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
                  qp mcp --run intro -- java -ea -cp classes Intro\n  \
                  qp mcp --test CartTest#desk --classpath classes:junit4.jar\n  \
                  qp mcp --run 'cart=java -cp classes CartTest' --root .    \
                  # also chains and recordings of this folder\n  \
                  qp mcp --skill > SKILL.md\n\n\
                  docs/agents.md describes the tools.")]
pub struct Mcp {
    /// A program that tools may run: NAME for the command after `--`, or NAME=COMMAND; can be repeated
    #[arg(long = "run", value_name = "NAME[=COMMAND]")]
    pub runs: Vec<String>,
    /// Folder whose chains tools may replay and whose recordings they may read; they may write new ones there
    #[arg(long, value_name = "FOLDER")]
    pub root: Option<PathBuf>,
    /// Also run commands that the agent makes up
    #[arg(long)]
    pub allow_commands: bool,
    /// Also run the other code of chains: `build`, `before_run`, `relaunch`, `drive`, and methods that
    /// expressions call
    #[arg(long, requires = "root")]
    pub trust_chains: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    /// Folder or jar with classes that the commands do not name; can be repeated
    #[arg(long = "classes", value_name = "PATH")]
    pub classes: Vec<PathBuf>,
    /// How long a call may take before the agent gets a job to wait for, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = WAIT_S)]
    pub wait: u64,
    /// Time limit of a run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    /// Print the skill file, which tells an agent how to use the tools, and end
    #[arg(long)]
    pub skill: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub test: TestArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub launch: LaunchArgs,
    /// The command that starts the program
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

/// How long a call may take before the agent gets a job, in seconds. Clients give up after 60.
pub const WAIT_S: u64 = 45;

/// The description of a tool; the type is that of its arguments.
pub trait Tool: DeserializeOwned + JsonSchema + 'static {
    /// The typed result.
    type Output: Serialize + 'static;

    /// Its name.
    const NAME: &'static str;
    /// What it does, for the agent.
    const ABOUT: &'static str;
    /// Whether it can run the program.
    const RUNS: bool;
}

/// A tool that works at the workbench.
pub trait Works: Tool {
    /// Does the work.
    ///
    /// # Errors
    /// The arguments do not fit, or there is no result.
    fn call(
        self,
        bench: &mut Workbench,
        context: &Context,
    ) -> impl Future<Output = Result<Self::Output, CommandError>>;
}

/// An error about the arguments.
fn usage<T>(text: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::Usage(text.into()))
}

/// The beginning of the rows that a cursor asks for.
fn offset(cursor: Option<&str>) -> Result<usize, CommandError> {
    match cursor {
        None => Ok(0),
        Some(text) => text.parse().map_err(|_| {
            CommandError::Usage(format!("there is no cursor `{text}`: repeat the one of the answer before"))
        }),
    }
}

/// Most rows that a tool finds at once. The answer has those that fit, and the next page the others.
const ROWS: usize = 400;
