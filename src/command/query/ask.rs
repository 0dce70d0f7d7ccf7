//! `qp query ask GOAL`: asks a goal, by the user's own rules.

use crate::command::trace::Reading;
use crate::command::{CommandError, Outcome};
use crate::session::{self, AskRequest, AskedGoal, Context};
use std::path::PathBuf;

/// Asks a Prolog goal over a recorded run
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp query ask 'event(Id, T, exception(L, E, M, uncaught))' shop.trace\n  qp query ask login --rules login.pl shop.trace\n  qp query ask 'call_chain(15, Calls)' --rules javata.pl    # with the rules that the paper prints\n\nFiles `queries/*.pl` of the current folder are always there. docs/queries.md describes the events and predicates."
)]
pub struct Ask {
    /// The goal: `event(Id, _, setfield(_, o('Rec', 43), bar, V))`
    #[arg(value_name = "GOAL")]
    pub goal: String,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// A file of rules; `javata.pl` has those of the paper
    #[arg(long, value_name = "FILE.pl")]
    pub rules: Vec<PathBuf>,
    /// Most solutions to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub limit: usize,
    /// Time limit of the goal, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub timeout: u64,
    /// Memory limit of the goal, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub goal_memory: usize,
    /// Tell how the events were found, with the number of candidates
    #[arg(long)]
    pub explain: bool,
}

impl Outcome for AskedGoal {
    fn exit_code(&self) -> u8 {
        match (&self.error, self.solutions) {
            (Some(_), _) => 2,
            (None, 0) => 1,
            (None, _) => 0,
        }
    }
}

impl Ask {
    pub(super) async fn execute(&self, context: &Context) -> Result<AskedGoal, CommandError> {
        let trace = self.reading.open(context).await?;
        let asked = AskRequest {
            goal: self.goal.clone(),
            rules: self.rules.clone(),
            solutions: self.limit,
            timeout_s: self.timeout,
            memory: self.goal_memory << 20,
            explain: self.explain,
        };
        Ok(session::ask(trace, &asked, context).await?)
    }
}
