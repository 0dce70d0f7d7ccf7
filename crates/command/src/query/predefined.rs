//! The predefined queries as subcommands.

use super::Saving;
use crate::CommandError;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use logic::Answer as Answered;
use logic::log::Kind;
use logic::queries::{Asked, Choice, QUERIES, Query as PredefinedQuery};
use recorded::logic::{OpenLog, ToSave};
use recorded::{MEMORY, RecordedTrace};
use session::Context;
use std::path::PathBuf;

/// Default maximum number of rows.
const ROWS: &str = "100";

/// A predefined query with its words and choices.
#[derive(Clone, Debug)]
pub struct Predefined {
    /// Its position in the table.
    at: usize,
    asked: Asked,
    folder: PathBuf,
    saving: Saving,
}

/// The subcommand of a query.
pub(super) fn line(query: &'static PredefinedQuery) -> clap::Command {
    let mut line = clap::Command::new(query.name).about(query.about);
    line = line.after_help(format!("Example:\n  qp query {}", query.example));
    let mut usage: Vec<String> = Vec::new();
    let mut help: Vec<String> = Vec::new();
    for word in query.words {
        usage.push(if word.is_optional { format!("[{}]", word.name) } else { format!("<{}>", word.name) });
        help.push(format!("{}: {}", word.name, word.about));
    }
    usage.push("[FOLDER]".to_owned());
    help.push("FOLDER: the recorded run, by default the folder `trace`".to_owned());
    let needed = query.words.iter().filter(|word| !word.is_optional).count();
    let words = Arg::new("words")
        .action(ArgAction::Append)
        .num_args(0..)
        .required(needed > 0)
        .allow_negative_numbers(true);
    line = line.arg(words.value_name("WORDS").help(help.join("; ")));
    line = line.override_usage(format!("qp query {} [OPTIONS] {}", query.name, usage.join(" ")));
    line = query.choices.iter().fold(line, with_choice);
    line = Saving::augment_args(line);
    line.arg(
        Arg::new("limit")
            .long("limit")
            .value_name("ROWS")
            .default_value(ROWS)
            .value_parser(clap::value_parser!(u32))
            .help("Most rows to show"),
    )
}

/// Adds the options of a choice.
fn with_choice(line: clap::Command, choice: &Choice) -> clap::Command {
    let event = |name: &'static str, help: &'static str| {
        let number = clap::value_parser!(u64);
        Arg::new(name).long(name).value_name("EVENT").value_parser(number).help(help)
    };
    match choice {
        Choice::Thread => {
            line.arg(Arg::new("thread").long("thread").value_name("NAME").help("Only events of this thread"))
        }
        Choice::Range => {
            line.arg(event("from", "Only from this event on")).arg(event("to", "Only up to this event"))
        }
        Choice::At => line.arg(event("at", "After this event; without it, at the end")),
        Choice::All => line.arg(
            Arg::new("all")
                .long("all")
                .action(ArgAction::SetTrue)
                .help("Also indirect calls, or caught exceptions"),
        ),
        Choice::Argument => line.arg(
            Arg::new("arg")
                .long("arg")
                .value_name("N=VALUE")
                .action(ArgAction::Append)
                .value_parser(argument)
                .help("Only calls with this argument, counted from 0: `0=null`, `1=\"BG\"`"),
        ),
        Choice::Value => line.arg(
            Arg::new("value")
                .long("value")
                .value_name("VALUE")
                .allow_hyphen_values(true)
                .help("Only this value, written as in Java: `4711`, `\"BG\"`, `null`, `Rec@43`"),
        ),
        Choice::Part => line.arg(
            Arg::new("part")
                .long("part")
                .value_name("TEXT")
                .conflicts_with("value")
                .help("Only strings that contain this text"),
        ),
        Choice::Kinds => line.arg(
            Arg::new("kinds")
                .long("kinds")
                .value_name("KINDS")
                .value_delimiter(',')
                .value_parser(kind)
                .help("Only these kinds of events: `methodcall,setfield`"),
        ),
    }
}

/// A kind of event by its name in the log.
fn kind(text: &str) -> Result<Kind, String> {
    Kind::named(text).ok_or_else(|| {
        let all: Vec<&str> = Kind::ALL.into_iter().map(Kind::functor).collect();
        format!("expected one of {}", all.join(", "))
    })
}

/// `N=VALUE`
fn argument(text: &str) -> Result<(usize, String), String> {
    let parsed = text.split_once('=').and_then(|(at, value)| Some((at.parse().ok()?, value.to_owned())));
    parsed
        .ok_or_else(|| "expected the number of an argument, counted from 0, and its value: 0=null".to_owned())
}

impl Predefined {
    /// The query that a command line asks.
    pub(super) fn of(matches: &ArgMatches) -> Result<Predefined, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(missing)?;
        let at = QUERIES.iter().position(|query| query.name == name).ok_or_else(missing)?;
        let query = QUERIES.get(at).ok_or_else(missing)?;
        let words = matches.get_many::<String>("words").into_iter().flatten();
        let mut words: Vec<String> = words.cloned().collect();
        let folder = folder(query, &mut words);
        let needed = query.words.iter().filter(|word| !word.is_optional).count();
        if !(needed..=query.words.len()).contains(&words.len()) {
            let names: Vec<&str> = query.words.iter().map(|word| word.name).collect();
            let expected = if names.is_empty() { "no words".to_owned() } else { names.join(" ") };
            let text = format!("`qp query {name}` takes {expected} and a folder, but was given {words:?}\n");
            return Err(clap::Error::raw(clap::error::ErrorKind::WrongNumberOfValues, text));
        }
        let knows = |choice: Choice| query.choices.contains(&choice);
        let text = |choice, name: &str| {
            if knows(choice) { matches.get_one::<String>(name).cloned() } else { None }
        };
        let id =
            |choice, name: &str| if knows(choice) { matches.get_one::<u64>(name).copied() } else { None };
        let arguments = knows(Choice::Argument).then(|| matches.get_many::<(usize, String)>("arg")).flatten();
        let kinds = knows(Choice::Kinds).then(|| matches.get_many::<Kind>("kinds")).flatten();
        let limit = matches.get_one::<u32>("limit").copied().unwrap_or(0);
        let asked = Asked {
            words,
            thread: text(Choice::Thread, "thread"),
            from: id(Choice::Range, "from"),
            to: id(Choice::Range, "to"),
            at: id(Choice::At, "at"),
            all: knows(Choice::All) && matches.get_flag("all"),
            arguments: arguments.into_iter().flatten().cloned().collect(),
            value: text(Choice::Value, "value"),
            part: text(Choice::Part, "part"),
            kinds: kinds.into_iter().flatten().copied().collect(),
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
        };
        let saving = Saving::from_arg_matches(matches)?;
        Ok(Predefined { at, asked, folder, saving })
    }

    /// The query that a line asks. It names no folder.
    ///
    /// # Errors
    /// The line is no query.
    pub(super) fn parse(text: &str) -> Result<Predefined, CommandError> {
        let words = shlex::split(text)
            .ok_or_else(|| CommandError::Usage(format!("a quote in `{text}` is not closed")))?;
        let line = clap::Command::new("query").no_binary_name(true).subcommand_required(true);
        let line = QUERIES
            .iter()
            .fold(line.disable_help_subcommand(true), |all, query| all.subcommand(self::line(query)));
        let parsed = line.try_get_matches_from(&words).and_then(|matches| {
            let words = matches.subcommand().and_then(|(_, matches)| matches.get_many::<String>("words"));
            let count = words.map_or(0, Iterator::count);
            let query = Predefined::of(&matches)?;
            if count > query.asked.words.len() {
                let text =
                    format!("`{}` is too much: the recorded run is open already\n", query.folder.display());
                return Err(clap::Error::raw(clap::error::ErrorKind::UnknownArgument, text));
            }
            Ok(query)
        });
        parsed.map_err(|error| {
            let text = error.to_string();
            let reason = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            let example = QUERIES.iter().find(|query| words.first().is_some_and(|word| word == query.name));
            let example = example.map(|query| format!("; an example: {}", query.example)).unwrap_or_default();
            CommandError::Usage(format!("{reason}{example}"))
        })
    }

    pub(super) async fn answer(&self, log: &OpenLog, context: &Context) -> Result<Answered, CommandError> {
        let Some(query) = QUERIES.get(self.at) else {
            return Err(CommandError::Usage("there is no such query".to_owned()));
        };
        Ok(log.query(query, &self.asked, context).await?)
    }

    pub(super) async fn execute(&self, context: &Context) -> Result<Answered, CommandError> {
        let log = OpenLog::open(RecordedTrace::open(&self.folder, MEMORY, context).await?, context).await?;
        let answer = self.answer(&log, context).await?;
        self.saving.save(&log, &ToSave::Query(answer.clone()), context).await?;
        Ok(answer)
    }

    /// The same query about another run; `own` is the run that it names events and objects of.
    pub(super) async fn about(
        self,
        own: &OpenLog,
        other: &OpenLog,
        context: &Context,
    ) -> Result<Predefined, CommandError> {
        let Some(query) = QUERIES.get(self.at) else { return Ok(self) };
        let asked = own.translated(query, &self.asked, other, context).await?;
        Ok(Predefined { asked, ..self })
    }

    /// Where to save the answer.
    pub(super) fn saving(&self) -> &Saving {
        &self.saving
    }
}

/// The folder of the recorded run: the word after those of the query. Where the query has optional words, the
/// last word is a folder if it names one.
fn folder(query: &PredefinedQuery, words: &mut Vec<String>) -> PathBuf {
    let needed = query.words.iter().filter(|word| !word.is_optional).count();
    let is_folder = words.len() > query.words.len()
        || words.len() > needed
            && words.last().is_some_and(|last| PathBuf::from(last).join("about.json").exists());
    let folder = if is_folder { words.pop() } else { None };
    folder.map_or_else(|| PathBuf::from("trace"), PathBuf::from)
}
