//! `qp serve`: the arguments, and the requests of its page.
//!
//! Each kind of request has a file: its typed arguments, its work and its typed reply. Requests that only
//! read recordings ([`Reads`]) go to a [`Reader`], and those that can run the program ([`Works`]) to a
//! [`Bench`], so that the page can be used while the program runs. Both know the [`Board`], which holds what
//! they show each other. `chain_desk`, `open_diagnosis`, `found_omissions` and `open_queries` are what a
//! bench keeps between requests.

mod bench;
mod board;
mod chain;
mod chain_desk;
mod diagnosis;
mod events;
mod found_omissions;
mod history;
mod node;
mod omissions;
mod open_diagnosis;
mod open_queries;
mod origin;
mod query;
mod reader;
mod record;
mod replay_shown;
mod selected;
mod session_info;
mod source;
mod timeline;
mod tree;
mod why;

pub use bench::{Bench, Start};
pub use board::{Board, Notice};
pub use chain_desk::{ChainAction, ChainShown};
pub use diagnosis::{BeginDiagnosis, DiagnosisAction, DiagnosisShown, DiagnosisState};
pub use events::{Event, Events};
pub use found_omissions::OmissionsShown;
pub use history::History;
pub use node::{Node, Parts};
pub use omissions::{ClearOmissions, FindOmissions, TryOmission};
pub use origin::{FindOrigin, OriginShown};
pub use query::{AskQuery, Queries, QueriesShown, QueryShown};
pub use reader::Reader;
pub use record::RecordProgram;
pub use session_info::{Session, SessionShown};
pub use source::{Execution, ExecutionShown, Lines, Source, SourceShown};
pub use timeline::{Timeline, TimelineShown};
pub use tree::{PathShown, PathTo, Tree, TreeShown};
pub use why::{Forget, Why, WhyShown};

use command::CommandError;
use command::program::{LaunchArgs, SourceArgs, TestArgs};
use command::trace::LevelArg;
use command::trust::TrustArgs;
use serde::de::DeserializeOwned;
use session::Context;
use std::path::PathBuf;

/// Memory for sorting the events of a recording, in bytes.
pub const MEMORY: usize = 96 << 20;

/// Shows a recorded run or a chain as a page in the browser
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  \
    qp serve shop.trace    # a recording\n  \
    qp serve cart.ron    # a chain: replays it, and records the program\n  \
    qp serve -- java -cp classes MergeSort    # records the program first\n\n\
    docs/web.md shows the page.")]
pub struct Serve {
    /// A folder that `qp trace record` wrote, or a chain file
    #[arg(
        value_name = "FOLDER|CHAIN",
        required_unless_present_any = ["command", "test"],
        conflicts_with_all = ["command", "test"]
    )]
    pub target: Option<PathBuf>,
    /// Port of 127.0.0.1; by default a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub source: SourceArgs,
    /// Level of detail of the recording
    #[arg(long, value_enum, default_value_t = LevelArg::All)]
    pub level: LevelArg,
    /// Classes to record; by default your own code, and libraries only if there is none
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scope: Vec<String>,
    /// Keep the recording in this folder, which must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Time limit of a run in seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout: Option<u64>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub trust: TrustArgs,
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

/// A request of the page.
pub trait Request: DeserializeOwned + Send + 'static {
    /// Its reply.
    type Reply;

    /// Its name: the last part of its path.
    const NAME: &'static str;
}

/// A request that only reads.
pub trait Reads: Request {
    /// Answers it.
    ///
    /// # Errors
    /// The arguments do not fit, or there is no answer.
    fn read(
        self,
        reader: &mut Reader,
        context: &Context,
    ) -> impl Future<Output = Result<Self::Reply, CommandError>>;
}

/// A request that can run the program, or takes long.
pub trait Works: Request {
    /// Does the work.
    ///
    /// # Errors
    /// The arguments do not fit, or there is no result.
    fn work(
        self,
        bench: &mut Bench,
        context: &Context,
    ) -> impl Future<Output = Result<Self::Reply, CommandError>>;
}

/// An error about the arguments.
fn usage<T>(text: impl Into<String>) -> Result<T, CommandError> {
    Err(CommandError::Usage(text.into()))
}
