//! The table of commands. The command line, its completions and manual pages come from it, and tests compare
//! the docs with it. Other front ends find here what they can offer: a command's name, purpose and arguments,
//! and a function that runs it to text or JSON.
//!
//! Each command has a row with its name, its type in `command`, and its group if it has one.

mod row;

pub use row::{Lead, Local, OtherDialogue, Prepared, Row, Runs, Shown};

use super::options::Cli;
use super::{dap, diagnoser, mcp, query_prompt, repl, stepper, web};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use command::bisect::Bisect;
use command::catch::Catch;
use command::check::Check;
use command::completions::Completions;
use command::debug::Debug;
use command::diagnose::Diagnose;
use command::diff::Diff;
use command::explain::Explain;
use command::log::Log;
use command::man::Man;
use command::omitted::Omitted;
use command::query::{Query, QueryPrompt};
use command::replay::Replay;
use command::test::Test;
use command::trace;
use command::why::Why;
use row::lead;
use servers::dap::Dap;
use servers::mcp::Mcp;
use servers::serve::Serve;
use std::ffi::OsString;

/// The commands, in the order of `qp --help`.
pub const COMMANDS: &[Row] = &[
    Row::command::<Why>("why"),
    Row::dialogue::<Debug>("debug", |matches, cli| lead(matches, cli, repl::run)),
    Row::command::<Replay>("replay"),
    Row::command::<Explain>("explain"),
    Row::command::<Log>("log"),
    Row::command::<Check>("check"),
    Row::command::<Bisect>("bisect"),
    Row::command::<trace::Record>("record").of("trace"),
    Row::command::<trace::Info>("info").of("trace"),
    Row::command::<trace::Calls>("calls").of("trace"),
    Row::command::<trace::Events>("events").of("trace"),
    Row::command::<trace::History>("history").of("trace"),
    Row::command::<trace::State>("state").of("trace"),
    Row::dialogue::<trace::Step>("step", |matches, cli| lead(matches, cli, stepper::run)).of("trace"),
    Row::command::<trace::AsChain>("as-chain").of("trace"),
    Row::command::<trace::Find>("find").of("trace"),
    Row::command::<trace::Export>("export").of("trace"),
    Row::command::<trace::Pack>("pack").of("trace"),
    Row::dialogue::<Diagnose>("diagnose", |matches, cli| lead(matches, cli, diagnoser::run)),
    Row::command::<Test>("test"),
    Row::command::<Diff>("diff"),
    Row::command::<Catch>("catch"),
    Row::command::<Omitted>("omitted"),
    Row::command::<Query>("query")
        .or_dialogue(QueryPrompt::is_meant, |matches, cli| lead(matches, cli, query_prompt::run)),
    Row::dialogue::<Dap>("dap", |matches, cli| lead(matches, cli, dap::run)),
    Row::dialogue::<Mcp>("mcp", |matches, cli| lead(matches, cli, mcp::run)),
    Row::dialogue::<Serve>("serve", |matches, cli| lead(matches, cli, web::run)),
    Row::description::<Completions>("completions"),
    Row::description::<Man>("man"),
];

/// Several commands under one name.
pub struct Group {
    /// The word the user types.
    pub name: &'static str,
    /// Their purpose.
    pub about: &'static str,
    /// Examples.
    pub examples: &'static str,
}

/// The groups.
pub const GROUPS: &[Group] = &[Group {
    name: "trace",
    about: "Records a run, and shows recorded runs",
    examples: "Examples:\n  qp trace record -- java -cp classes Intro\n  qp trace info\n  qp trace calls --depth 5",
}];

/// A parsed command line.
pub struct Call {
    /// The options before the command.
    pub cli: Cli,
    /// The command.
    pub row: &'static Row,
    /// Its arguments.
    pub matches: ArgMatches,
}

/// The whole command line: options, commands and their arguments.
pub fn line() -> clap::Command {
    let mut line = Cli::command().subcommand_required(true).arg_required_else_help(true);
    for row in COMMANDS {
        let group = GROUPS.iter().find(|group| row.group == Some(group.name));
        line = match group {
            None => line.subcommand(row.line()),
            Some(group) if line.find_subcommand(group.name).is_some() => {
                line.mut_subcommand(group.name, |line| line.subcommand(row.line()))
            }
            Some(group) => {
                let of_group = clap::Command::new(group.name).about(group.about).after_help(group.examples);
                let of_group = of_group.subcommand_required(true).arg_required_else_help(true);
                line.subcommand(of_group.subcommand(row.line()))
            }
        };
    }
    line
}

/// Parses a command line. The first word is the name of the program.
///
/// # Errors
/// The command line is invalid, or asks for help.
pub fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Call, clap::Error> {
    let mut line = line();
    let matches = line.try_get_matches_from_mut(words)?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut line))?;
    let (mut path, mut matches) = (String::new(), matches);
    while let Some((name, inner)) = matches.remove_subcommand() {
        path = if path.is_empty() { name } else { format!("{path} {name}") };
        matches = inner;
        // A command can have subcommands of its own, which it parses.
        if let Some(row) = COMMANDS.iter().find(|row| row.path() == path) {
            return Ok(Call { cli, row, matches });
        }
    }
    Err(line.error(clap::error::ErrorKind::InvalidSubcommand, path))
}

/// The exit code of an invalid command line, if its command has a code of its own.
pub fn cannot_begin(words: &[String]) -> Option<u8> {
    let named = COMMANDS.iter().filter(|row| words.iter().any(|word| word == row.name));
    named.filter_map(|row| row.cannot_begin).next()
}
