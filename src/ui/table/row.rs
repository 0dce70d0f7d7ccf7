//! A row of the table of commands: a name, and functions that parse and run a command of any type.

use crate::ui::options::Cli;
use crate::ui::out;
use crate::ui::render::Text;
use clap::{ArgMatches, Args};
use command::{Command, CommandError, Describe, Outcome};
use session::Context;
use std::path::Path;
use std::pin::Pin;

/// A future that stays on its thread.
pub type Local<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A row of the table.
pub struct Row {
    /// The word the user types, after the group's name.
    pub name: &'static str,
    /// Its group.
    pub group: Option<&'static str>,
    /// How it runs.
    pub runs: Runs,
    /// The exit code when it cannot begin, if that is not the general one.
    pub cannot_begin: Option<u8>,
    /// The dialogue that it runs instead, for some arguments.
    pub dialogue: Option<OtherDialogue>,
    arguments: fn(clap::Command) -> clap::Command,
}

/// Runs a dialogue to its exit code.
pub type Lead = for<'a> fn(&'a ArgMatches, &'a Cli) -> Local<'a, Result<u8, clap::Error>>;

/// A dialogue of a command that otherwise ends with a result.
#[derive(Clone, Copy)]
pub struct OtherDialogue {
    /// Whether the arguments ask for it.
    pub is_meant: fn(&ArgMatches) -> bool,
    /// Runs it.
    pub lead: Lead,
}

/// How a command runs.
pub enum Runs {
    /// To a result, from its arguments alone.
    ToResult(fn(&ArgMatches) -> Result<Box<dyn Prepared>, clap::Error>),
    /// Interactive: it runs a dialogue, and gives an exit code.
    Dialogue(Lead),
    /// It prints a description of the command line, and runs no program.
    Describes(fn(&ArgMatches, clap::Command) -> Result<String, CommandError>),
}

/// A command with its arguments, behind a type-erased interface.
pub trait Prepared {
    /// Whether the user allows commands in files from others to run without a question.
    fn trusts(&self) -> bool;
    /// Runs it.
    fn run<'a>(&'a self, context: &'a Context) -> Local<'a, Result<Box<dyn Shown>, CommandError>>;
}

/// A result, behind a type-erased interface.
pub trait Shown {
    /// The text for people.
    fn text(&self, color: bool) -> String;
    /// The JSON for machines.
    fn json(&self) -> String;
    /// An additional file for the result, with its content.
    fn beside(&self) -> Option<(&Path, std::io::Result<String>)>;
    /// The exit code, which depends on whether the result could be written.
    fn exit_code(&self, is_written: bool) -> u8;
}

impl<C: Command> Prepared for C
where
    C::Output: Text + 'static,
{
    fn trusts(&self) -> bool {
        Command::trusts(self)
    }

    fn run<'a>(&'a self, context: &'a Context) -> Local<'a, Result<Box<dyn Shown>, CommandError>> {
        Box::pin(async { Ok(Box::new(self.execute(context).await?) as Box<dyn Shown>) })
    }
}

impl<O: Outcome + Text> Shown for O {
    fn text(&self, color: bool) -> String {
        Text::text(self, color)
    }

    fn json(&self) -> String {
        out::json(self)
    }

    fn beside(&self) -> Option<(&Path, std::io::Result<String>)> {
        Text::beside(self)
    }

    fn exit_code(&self, is_written: bool) -> u8 {
        if is_written { Outcome::exit_code(self) } else { self.exit_code_unwritten() }
    }
}

impl Row {
    /// A command that ends with a result.
    pub(super) const fn command<C: Command + 'static>(name: &'static str) -> Row
    where
        C::Output: Text + 'static,
    {
        let runs = Runs::ToResult(|matches| Ok(Box::new(C::from_arg_matches(matches)?)));
        Row {
            name,
            group: None,
            runs,
            cannot_begin: C::CANNOT_BEGIN,
            dialogue: None,
            arguments: C::augment_args,
        }
    }

    /// A command that runs a dialogue.
    pub(super) const fn dialogue<A: Args>(name: &'static str, lead: Lead) -> Row {
        let runs = Runs::Dialogue(lead);
        Row { name, group: None, runs, cannot_begin: None, dialogue: None, arguments: A::augment_args }
    }

    /// A command that describes the command line.
    pub(super) const fn description<D: Describe>(name: &'static str) -> Row {
        let runs = Runs::Describes(|matches, line| {
            let described = D::from_arg_matches(matches);
            described.map_err(|error| CommandError::Usage(error.to_string()))?.describe(line)
        });
        Row { name, group: None, runs, cannot_begin: None, dialogue: None, arguments: D::augment_args }
    }

    /// The same, in a group.
    pub(super) const fn of(self, group: &'static str) -> Row {
        Row { group: Some(group), ..self }
    }

    /// The same, with a dialogue for some arguments.
    pub(super) const fn or_dialogue(self, is_meant: fn(&ArgMatches) -> bool, lead: Lead) -> Row {
        Row { dialogue: Some(OtherDialogue { is_meant, lead }), ..self }
    }

    /// The words the user types, with the group's name: `trace record`.
    pub fn path(&self) -> String {
        self.group.map_or_else(|| self.name.to_owned(), |group| format!("{group} {}", self.name))
    }

    /// Its name, purpose and arguments, for clap.
    pub fn line(&self) -> clap::Command {
        (self.arguments)(clap::Command::new(self.name))
    }
}

/// Parses the arguments of a dialogue, and runs it.
pub(super) fn lead<'a, A: Args + 'a>(
    matches: &'a ArgMatches,
    cli: &'a Cli,
    run: impl AsyncFnOnce(&Cli, &A) -> u8 + 'a,
) -> Local<'a, Result<u8, clap::Error>> {
    Box::pin(async move { Ok(run(cli, &A::from_arg_matches(matches)?).await) })
}
