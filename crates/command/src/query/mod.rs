//! `qp query …`: logic queries over recorded runs. Each predefined query is a subcommand, from the table
//! `QUERIES`; `ask` asks goals. `saved` shows and compares saved answers. Without a subcommand, and with
//! `prompt`, the command is a [`QueryDialogue`].

mod ask;
mod dialogue;
mod predefined;
mod prompt;
mod prompt_command;
mod saved;

pub use dialogue::{GoalReply, QueryDialogue, QueryReply};
pub use prompt::QueryPrompt;
pub use prompt_command::{PROMPT_TABLE, PromptRow};

use crate::{Command, CommandError, Outcome};
use ask::Ask;
use clap::{ArgMatches, Args, FromArgMatches};
use logic::Answer as Answered;
use logic::queries::QUERIES;
use logic::rules::Asked as AskedGoal;
use logic::saved::AnswerDifference;
use predefined::Predefined;
use saved::{AnswersDiff, Show};
use serde::Serialize;
use session::Context;
use std::path::PathBuf;

const ABOUT: &str =
    "Asks a recorded run questions: where something happened, through which calls, and what the state was";
const EXAMPLES: &str = "Examples:\n  qp query where-thrown shop.trace       # the exceptions that nobody caught\n  qp query chain 15 shop.trace           # the calls around event 15\n  qp query did line Shop:31 shop.trace   # was the line executed?\n  qp query prompt shop.trace             # ask one question after another\n\nWithout a folder, queries read the folder `trace`. Without a query, the prompt opens over that folder.";

/// A query over a recorded run.
#[derive(Clone, Debug)]
pub enum Query {
    /// A predefined query.
    Predefined(Predefined),
    /// A goal.
    Ask(Ask),
    /// A saved answer.
    Show(Show),
    /// Two answers.
    Diff(AnswersDiff),
}

// A doc comment would become the purpose of each query.
#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Saving {
    /// Also save the answer, to show it later (`qp query show`) and to compare it (`qp query diff`)
    #[arg(long, value_name = "FILE.json")]
    pub save: Option<PathBuf>,
}

/// The answer to a query.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum QueryAnswer {
    /// To a predefined query.
    Predefined(Answered),
    /// To a goal.
    Goal(AskedGoal),
    /// The differences of two answers.
    Difference(AnswerDifference),
}

impl Outcome for QueryAnswer {
    fn exit_code(&self) -> u8 {
        match self {
            QueryAnswer::Predefined(answer) => u8::from(answer.yes == Some(false)),
            QueryAnswer::Goal(answer) => answer.exit_code(),
            QueryAnswer::Difference(difference) => u8::from(!difference.is_equal()),
        }
    }
}

impl Command for Query {
    type Output = QueryAnswer;

    /// # Errors
    /// The query does not fit the recording, or the recording cannot be read.
    async fn execute(&self, context: &Context) -> Result<QueryAnswer, CommandError> {
        Ok(match self {
            Query::Predefined(query) => QueryAnswer::Predefined(Box::pin(query.execute(context)).await?),
            Query::Ask(ask) => QueryAnswer::Goal(Box::pin(ask.execute(context)).await?),
            Query::Show(show) => show.execute()?,
            Query::Diff(diff) => QueryAnswer::Difference(diff.execute(context).await?),
        })
    }
}

/// The name of the subcommand that asks a goal.
const ASK: &str = "ask";
/// The name of the subcommand that shows a saved answer.
const SHOW: &str = "show";
/// The name of the subcommand that compares answers.
const DIFF: &str = "diff";
/// The name of the subcommand that opens the prompt.
const PROMPT: &str = "prompt";

impl FromArgMatches for Query {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Query, clap::Error> {
        match matches.subcommand() {
            Some((ASK, matches)) => Ask::from_arg_matches(matches).map(Query::Ask),
            Some((SHOW, matches)) => Show::from_arg_matches(matches).map(Query::Show),
            Some((DIFF, matches)) => AnswersDiff::from_arg_matches(matches).map(Query::Diff),
            _ => Predefined::of(matches).map(Query::Predefined),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Query::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Query {
    fn augment_args(line: clap::Command) -> clap::Command {
        let line = line.about(ABOUT).after_help(EXAMPLES);
        let line = QUERIES.iter().fold(line, |line, query| line.subcommand(predefined::line(query)));
        line.subcommand(Ask::augment_args(clap::Command::new(ASK)))
            .subcommand(Show::augment_args(clap::Command::new(SHOW)))
            .subcommand(AnswersDiff::augment_args(clap::Command::new(DIFF)))
            .subcommand(QueryPrompt::augment_args(clap::Command::new(PROMPT)))
    }

    fn augment_args_for_update(line: clap::Command) -> clap::Command {
        Query::augment_args(line)
    }
}
