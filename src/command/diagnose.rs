//! `qp diagnose`: asks of one call after the other whether it is right, until one is left that is wrong.

use super::CommandError;
use super::program::ProgramArgs;
use super::secrets::SecretArgs;
use super::trace::{LevelArg, Memory};
use crate::chain::Chain;
use crate::session::SessionError;
use crate::session::{
    AssertFile, Bounds, Context, DiagnoseOptions, Diagnoser, Judgement, RecordOptions, RecordedTrace,
    Reference, Stepper, TemporaryFolder, Trust,
};
use std::path::PathBuf;

/// Asks of calls whether they are right, until the one is left that is wrong
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp diagnose -- java -cp classes MergeSort\n  qp diagnose shop.trace --node 12\n  qp diagnose shop.trace --strategy top-down --format json\n  Answers: valid, invalid, wrong PATH, trusted, unknown, inadmissible, undo; help shows all"
)]
pub struct Diagnose {
    /// The folder that `qp trace record` wrote; without it the command is recorded first
    #[arg(value_name = "FOLDER", required_unless_present = "command")]
    pub folder: Option<PathBuf>,
    /// How the next question is chosen; `help` at the prompt lists them
    #[arg(long, value_name = "NAME")]
    pub strategy: Option<String>,
    /// What a part of the code counts after one valid call that went through it, for strategies that go by
    /// coverage
    #[arg(long, value_name = "P", value_parser = portion)]
    pub p: Option<f64>,
    /// Begin below this call, which is wrong, by its number as `qp trace calls` shows it
    #[arg(long, value_name = "CALL")]
    pub node: Option<u32>,
    /// Judge a recursion by the call that begins it, or each of its calls; without this, as the strategy has
    /// it
    #[arg(long, value_name = "WHETHER", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub compress: Option<bool>,
    /// Ask about loops too: an execution of a loop, from one of its iterations on, stands between a call and
    /// the calls made in it
    #[arg(long)]
    pub loops: bool,
    /// A version of the program that is right, by its class path: it is called with what a call was given,
    /// and answers where it can
    #[arg(long, value_name = "CLASSPATH")]
    pub reference: Option<String>,
    /// Assertions about methods, which answer where they can: see docs/declarative.md for the file
    #[arg(long = "assert", value_name = "FILE")]
    pub assertions: Option<PathBuf>,
    /// Where answers are kept, and taken from for calls that do the same; at a terminal `answers.ron` in the
    /// folder unless it is named
    #[arg(long, value_name = "FILE")]
    pub answers: Option<PathBuf>,
    /// A folder or archive with Java sources; as often as wanted
    #[arg(long, value_name = "PATH")]
    pub source: Vec<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub memory: Memory,
    /// How much of the command's run is recorded
    #[arg(long, value_enum, default_value_t = LevelArg::All, conflicts_with = "folder")]
    pub level: LevelArg,
    /// Classes to record; without any, all but those of the JDK
    #[arg(long, value_name = "PATTERN", conflicts_with = "folder")]
    pub scope: Vec<String>,
    /// Classes that are right for sure, and are not recorded
    #[arg(long, value_name = "PATTERN", conflicts_with = "folder")]
    pub trust: Vec<String>,
    /// Keep what is recorded in this folder, which must not be there
    #[arg(short, long, value_name = "FOLDER", conflicts_with = "folder")]
    pub out: Option<PathBuf>,
    /// End the run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "folder")]
    pub timeout: Option<u64>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub secrets: SecretArgs,
    /// Run the recorded program again, where a question needs more, although it was not recorded here
    #[arg(long, requires = "folder")]
    pub trust_command: bool,
    /// The command that starts the program
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "folder")]
    pub command: Vec<String>,
}

fn portion(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 1 is wanted".to_owned())
}

/// How much of values is shown to people.
const TO_PEOPLE: Bounds = Bounds { depth: 6, elements: 64, parts: 400 };
/// And to programs.
pub const TO_PROGRAMS: Bounds = Bounds { depth: 24, elements: 256, parts: 4000 };

/// A diagnosis that has begun.
pub struct Begun {
    /// Leads it.
    pub diagnoser: Diagnoser,
    /// What was recorded for it alone is removed with it.
    recorded: Option<TemporaryFolder>,
}

impl Begun {
    /// Goes over to the events of the buggy call; what was recorded for this alone is to be kept as long.
    ///
    /// # Errors
    /// None was found.
    pub async fn walk(
        self,
        sources: &[PathBuf],
        context: &Context,
    ) -> Result<(Stepper<'static>, Option<TemporaryFolder>), CommandError> {
        Ok((self.diagnoser.walk(sources, context).await?, self.recorded))
    }
}

impl Diagnose {
    /// Records the program if need be, and begins. For people values are shown shorter; answers are kept in
    /// the folder if that is wanted.
    ///
    /// # Errors
    /// The program cannot be launched, or the recorded run not be read; there is no such strategy or call.
    pub async fn begin(
        &self,
        (for_people, keeps): (bool, bool),
        context: &Context,
    ) -> Result<Begun, CommandError> {
        let (folder, recorded) = match (&self.folder, &self.out) {
            (Some(folder), _) => (folder.clone(), None),
            (None, Some(out)) => (out.clone(), None),
            (None, None) => {
                let folder = TemporaryFolder::new("qp-diagnose-");
                let folder = folder.map_err(super::unwritten(&std::env::temp_dir()))?;
                (folder.path().join("trace"), Some(folder))
            }
        };
        let options = DiagnoseOptions {
            strategy: self.strategy.clone(),
            p: self.p,
            node: self.node,
            compress: self.compress,
            loops: self.loops,
            bounds: if for_people { TO_PEOPLE } else { TO_PROGRAMS },
        };
        // What is wrong with it is told before a program is run.
        let assertions = self.assertions.as_deref().map(AssertFile::load).transpose();
        let assertions = assertions.map_err(SessionError::from)?;
        let mut diagnoser = match &self.folder {
            Some(folder) => {
                let trace = RecordedTrace::open(folder, self.memory.bytes(), context).await?;
                Diagnoser::new(trace, options)?
            }
            None => {
                let chain = Chain::new(ProgramArgs::default().debuggee(&self.command), Vec::new());
                let recording = self.recording(folder.clone())?;
                Diagnoser::while_it_runs(chain, recording, options, context).await?
            }
        };
        if let Some(file) = &assertions {
            diagnoser.assert_by(file, self.folder.is_some())?;
        }
        let beside = folder.join("answers.ron");
        // What a script is asked must not depend on what another one has answered.
        let answers = self.answers.as_ref().or(Some(&beside).filter(|_| keeps && recorded.is_none()));
        if let Some(answers) = answers {
            diagnoser.keep_in(answers)?;
        }
        if let Some(class_path) = &self.reference {
            // Its `java` and options may be anything.
            diagnoser.allow(context)?;
            let here = std::env::current_dir().map_err(super::unwritten(std::path::Path::new(".")))?;
            diagnoser.ask_first(Reference::new(diagnoser.launcher(), class_path, &here)?);
        }
        Ok(Begun { diagnoser, recorded })
    }

    fn recording(&self, out: PathBuf) -> Result<RecordOptions, CommandError> {
        Ok(RecordOptions {
            out,
            level: self.level.into(),
            scope: self.scope.clone(),
            trust: self.trust.clone(),
            window: None,
            places: None,
            memory: self.memory.bytes(),
            timeout_s: self.timeout,
            show_output: false,
            secrets: self.secrets.secrets()?,
        })
    }
}

/// A row of the table of what can be said to a question.
#[derive(Clone, Debug, serde::Serialize)]
pub struct AnswerRow {
    /// What is typed.
    pub name: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// How it is written.
    pub usage: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What it means.
    pub means: Said,
}

/// What is said to a question.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Said {
    /// Of the call.
    #[serde(skip)]
    Judged(Judgement),
    /// The call is invalid, and this part of what it left is wrong.
    Wrong(String),
    /// How far the trust goes follows.
    Trusted,
    /// A value is shown as the call ended, by its name.
    Show(String),
    /// All writes to a variable are shown.
    History(String),
    /// The events of the call are shown.
    Events,
    /// Another call is asked about, by its number; none: the one that was asked about before.
    Node(Option<u32>),
    /// The last answer is taken back.
    Undo,
    /// The answers that are kept are shown.
    Answers,
    /// One of them is taken back, by its number.
    Retract(usize),
    /// The question is shown once more.
    Again,
    /// The table is shown.
    Help,
    /// That was all.
    Quit,
}

const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
    means: Said,
) -> AnswerRow {
    AnswerRow { name, aliases, usage, about, means }
}

/// What can be said to a question.
pub const ANSWER_TABLE: &[AnswerRow] = &[
    row("valid", &["v", "yes", "y"], "valid", "the call did what it should", Said::Judged(Judgement::Valid)),
    row("invalid", &["i", "no", "n"], "invalid", "it did not", Said::Judged(Judgement::Invalid)),
    row(
        "wrong",
        &["!"],
        "wrong PATH",
        "it did not, and this part of what it left is wrong: c[2], result, this.head.next",
        Said::Wrong(String::new()),
    ),
    row(
        "trusted",
        &["t", "trust"],
        "trusted [class | package]",
        "its method is right for sure, or all of its class or package",
        Said::Trusted,
    ),
    row("unknown", &["u", "?"], "unknown", "cannot be told", Said::Judged(Judgement::Unknown)),
    row(
        "inadmissible",
        &["x"],
        "inadmissible",
        "what it was given was wrong already",
        Said::Judged(Judgement::Inadmissible),
    ),
    row(
        "show",
        &["s"],
        "show OBJECT | VARIABLE",
        "a value as the call ended, with what hangs on it",
        Said::Show(String::new()),
    ),
    row("history", &[], "history VARIABLE", "all writes to a variable", Said::History(String::new())),
    row("events", &["e"], "events", "what the call did, in its order", Said::Events),
    row(
        "node",
        &["#"],
        "node [N]",
        "asks about call #N, which can be answered instead; without N about the one before",
        Said::Node(None),
    ),
    row("undo", &[], "undo", "takes back the last answer", Said::Undo),
    row("answers", &["a"], "answers", "shows the answers that are kept, with their numbers", Said::Answers),
    row("retract", &["r"], "retract N", "takes back one of them", Said::Retract(0)),
    row("where", &["w"], "where", "shows the question once more", Said::Again),
    row("help", &["h"], "help", "shows this table, and the strategies", Said::Help),
    row("quit", &["q"], "quit", "ends", Said::Quit),
];

/// What a line says.
///
/// # Errors
/// It means nothing.
pub fn said(line: &str) -> Result<Said, CommandError> {
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or("where");
    let known = ANSWER_TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word));
    let Some(row) = known else {
        return Err(CommandError::Usage(format!("`{word}` is no answer: `help` shows what can be said")));
    };
    let usage = || CommandError::Usage(format!("write: {}", row.usage));
    let with_path: Option<fn(String) -> Said> = match row.means {
        Said::Wrong(_) => Some(Said::Wrong),
        Said::Show(_) => Some(Said::Show),
        Said::History(_) => Some(Said::History),
        _ => None,
    };
    if let Some(with_path) = with_path {
        // A key of a map can have spaces.
        let path = line.trim().strip_prefix(word).unwrap_or_default().trim();
        return if path.is_empty() { Err(usage()) } else { Ok(with_path(path.to_owned())) };
    }
    let rest = words.next();
    if words.next().is_some() {
        return Err(usage());
    }
    match (row.means.clone(), rest) {
        (Said::Trusted, rest) => {
            let trust = match rest {
                None | Some("method") => Trust::Method,
                Some("class") => Trust::Class,
                Some("package") => Trust::Package,
                Some(_) => return Err(usage()),
            };
            Ok(Said::Judged(Judgement::Trusted(trust)))
        }
        (Said::Retract(_), rest) => {
            rest.and_then(|number| number.parse().ok()).map(Said::Retract).ok_or_else(usage)
        }
        (Said::Node(_), Some(call)) => {
            let call = call.trim_start_matches('#').parse();
            call.map(|call| Said::Node(Some(call))).map_err(|_| usage())
        }
        (means, None) => Ok(means),
        (_, Some(_)) => Err(usage()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_what_is_thought_of_a_call() {
        let parsed = |line: &str| said(line).ok();
        assert_eq!(parsed(" valid "), Some(Said::Judged(Judgement::Valid)));
        assert_eq!(parsed("n"), Some(Said::Judged(Judgement::Invalid)));
        assert_eq!(parsed("trust class"), Some(Said::Judged(Judgement::Trusted(Trust::Class))));
        assert_eq!(parsed("t"), Some(Said::Judged(Judgement::Trusted(Trust::Method))));
        assert_eq!(parsed(""), Some(Said::Again));
        assert_eq!(parsed(" wrong  c[2] "), Some(Said::Wrong("c[2]".to_owned())));
        assert_eq!(parsed("show this.a[2]"), Some(Said::Show("this.a[2]".to_owned())));
        assert_eq!(parsed("node #12"), Some(Said::Node(Some(12))));
        assert_eq!(parsed("node"), Some(Said::Node(None)));
        assert_eq!(parsed("! count{\"a b\"}"), Some(Said::Wrong("count{\"a b\"}".to_owned())));
        for none in [
            "wrong",
            "show",
            "history",
            "node x",
            "events all",
            "perhaps",
            "valid really",
            "trust me",
            "trust class now",
        ] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }
}
