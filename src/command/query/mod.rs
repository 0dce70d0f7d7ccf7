//! `qp query …`: logic queries over recorded runs. Each predefined query is a subcommand, from the table
//! `QUERIES`.

mod ask;
mod predefined;

use crate::command::{Command, CommandError, Outcome};
use crate::session::{Answered, AskedGoal, Context, QUERIES};
use ask::Ask;
use clap::{ArgMatches, Args, FromArgMatches};
use predefined::Predefined;
use serde::Serialize;

const ABOUT: &str =
    "Asks a recorded run questions: where something happened, through which calls, and what the state was";
const EXAMPLES: &str = "Examples:\n  qp query where-thrown shop.trace       # the exceptions that nobody caught\n  qp query chain 15 shop.trace           # the calls around event 15\n  qp query did line Shop:31 shop.trace   # was the line executed?\n\nWithout a folder, queries read the folder `trace`.";

/// A query over a recorded run.
#[derive(Clone, Debug)]
pub enum Query {
    /// A predefined query.
    Predefined(Predefined),
    /// A goal.
    Ask(Ask),
}

/// The answer to a query.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum QueryAnswer {
    /// To a predefined query.
    Predefined(Answered),
    /// To a goal.
    Goal(AskedGoal),
}

impl Outcome for QueryAnswer {
    fn exit_code(&self) -> u8 {
        match self {
            QueryAnswer::Predefined(answer) => u8::from(answer.yes == Some(false)),
            QueryAnswer::Goal(answer) => answer.exit_code(),
        }
    }
}

impl Command for Query {
    type Output = QueryAnswer;

    /// # Errors
    /// The query does not fit the recording, or the recording cannot be read.
    async fn execute(&self, context: &Context) -> Result<QueryAnswer, CommandError> {
        Ok(match self {
            Query::Predefined(query) => QueryAnswer::Predefined(query.execute(context).await?),
            Query::Ask(ask) => QueryAnswer::Goal(ask.execute(context).await?),
        })
    }
}

/// The name of the subcommand that asks a goal.
const ASK: &str = "ask";

impl FromArgMatches for Query {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Query, clap::Error> {
        match matches.subcommand() {
            Some((ASK, matches)) => Ask::from_arg_matches(matches).map(Query::Ask),
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
        let line = line.subcommand_required(true).arg_required_else_help(true);
        let line = QUERIES.iter().fold(line, |line, query| line.subcommand(predefined::line(query)));
        line.subcommand(Ask::augment_args(clap::Command::new(ASK)))
    }

    fn augment_args_for_update(line: clap::Command) -> clap::Command {
        Query::augment_args(line)
    }
}
