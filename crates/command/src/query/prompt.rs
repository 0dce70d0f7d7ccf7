//! `qp query` without a query, and `qp query prompt`: the arguments of the prompt.

use super::PROMPT;
use super::dialogue::QueryDialogue;
use crate::CommandError;
use crate::trace::Reading;
use clap::{ArgMatches, Args, FromArgMatches};
use recorded::logic::{AskRequest, OpenLog};
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::PathBuf;

/// Asks a recorded run one question after another
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp query prompt shop.trace\n  qp query prompt --rules login.pl shop.trace\n\nAt the prompt, `help` lists the commands."
)]
struct PromptArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    reading: Reading,
    /// A file of rules; `javata.pl` has those of the paper
    #[arg(long, value_name = "FILE.pl")]
    rules: Vec<PathBuf>,
    /// Time limit of a goal, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_S)]
    timeout: u64,
    /// Memory limit of a goal, in megabytes
    #[arg(long, value_name = "MB", default_value_t = GOAL_MB)]
    goal_memory: usize,
}

/// Time limit of a goal, in seconds.
const TIMEOUT_S: u64 = 300;
/// Memory limit of a goal, in megabytes.
const GOAL_MB: usize = 1024;

/// The prompt: its recorded run and its rules.
#[derive(Clone, Debug)]
pub struct QueryPrompt {
    folder: PathBuf,
    memory: usize,
    request: AskRequest,
}

impl QueryPrompt {
    /// Whether a command line of `qp query` asks for the prompt.
    pub fn is_meant(matches: &ArgMatches) -> bool {
        matches.subcommand_name().is_none_or(|name| name == PROMPT)
    }

    /// Opens the recorded run.
    ///
    /// # Errors
    /// The folder holds no recorded run, a file of rules cannot be read, or the user interrupted the work.
    pub async fn open(&self, is_attended: bool, context: &Context) -> Result<QueryDialogue, CommandError> {
        let trace = RecordedTrace::open(&self.folder, self.memory, context).await?;
        let log = OpenLog::open(trace, context).await?;
        log.predicates(&self.request)?;
        Ok(QueryDialogue::new(log, self.request.clone(), is_attended))
    }
}

impl FromArgMatches for QueryPrompt {
    fn from_arg_matches(matches: &ArgMatches) -> Result<QueryPrompt, clap::Error> {
        let given = matches.subcommand_matches(PROMPT).map(PromptArgs::from_arg_matches).transpose()?;
        let (rules, timeout_s, megabytes) = match &given {
            Some(given) => (given.rules.clone(), given.timeout, given.goal_memory),
            None => (Vec::new(), TIMEOUT_S, GOAL_MB),
        };
        let request = AskRequest {
            goal: String::new(),
            rules,
            saved_rules: true,
            // A person asks for each.
            solutions: usize::MAX,
            timeout_s,
            memory: megabytes << 20,
            explain: false,
        };
        let reading = given.map(|given| given.reading);
        let memory = reading.as_ref().map_or(MEMORY, |reading| reading.memory.bytes());
        let folder = reading.map_or_else(|| PathBuf::from("trace"), |reading| reading.folder);
        Ok(QueryPrompt { folder, memory, request })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = QueryPrompt::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for QueryPrompt {
    fn augment_args(line: clap::Command) -> clap::Command {
        PromptArgs::augment_args(line)
    }

    fn augment_args_for_update(line: clap::Command) -> clap::Command {
        QueryPrompt::augment_args(line)
    }
}
