//! `qp query …`: logic queries over recorded runs. Each predefined query is a subcommand, from the table
//! `QUERIES`.

mod predefined;

use crate::command::{Command, CommandError, Outcome};
use crate::session::{Answered, Context, QUERIES};
use clap::{ArgMatches, Args, FromArgMatches};
use predefined::Predefined;

const ABOUT: &str =
    "Asks a recorded run questions: where something happened, through which calls, and what the state was";
const EXAMPLES: &str = "Examples:\n  qp query where-thrown shop.trace       # the exceptions that nobody caught\n  qp query chain 15 shop.trace           # the calls around event 15\n  qp query did line Shop:31 shop.trace   # was the line executed?\n\nWithout a folder, queries read the folder `trace`.";

/// A query over a recorded run.
#[derive(Clone, Debug)]
pub struct Query {
    what: Predefined,
}

impl Outcome for Answered {
    fn exit_code(&self) -> u8 {
        u8::from(self.yes == Some(false))
    }
}

impl Command for Query {
    type Output = Answered;

    /// # Errors
    /// The query does not fit the recording, or the recording cannot be read.
    async fn execute(&self, context: &Context) -> Result<Answered, CommandError> {
        self.what.execute(context).await
    }
}

impl FromArgMatches for Query {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Query, clap::Error> {
        Predefined::of(matches).map(|what| Query { what })
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
        QUERIES.iter().fold(line, |line, query| line.subcommand(predefined::line(query)))
    }

    fn augment_args_for_update(line: clap::Command) -> clap::Command {
        Query::augment_args(line)
    }
}
