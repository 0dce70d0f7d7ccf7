//! `qp debug`: a session that runs the program again for each question. This file has the arguments and the
//! table of prompt commands. To add a command, add a file here and a row to the table. `help` shows this
//! table, and a test compares docs/sessions.md with it.
//!
//! A prompt command parses its words (`parse`), does its work (`execute`) and returns a typed [`Reply`],
//! which front ends render. `dialogue` is the dialogue for any front end. This room may use `session` and
//! `chain`.

mod break_at;
mod candidates;
mod catch;
mod clauses;
mod collect;
mod dialogue;
mod diff;
mod exception;
mod frames;
mod goto;
mod graph;
mod help;
mod here;
mod last_condition;
mod load;
mod locals;
mod omitted;
mod output;
mod points;
mod print;
mod quit;
mod reference;
mod remove;
mod reply;
mod run;
mod runs;
mod save;
mod set;
mod source;
mod step;
mod watch;
mod when;
mod why;

pub use dialogue::{DebugDialogue, ProgramState};
pub use reply::{Numbered, Reply, Setting};

use super::CommandError;
use super::program::ProgramArgs;
use super::replay::{CodeArgs, LimitArgs};
use super::trace::Step;
use super::trust::{self, TrustArgs};
use chain::{Chain, Debuggee};
use debuggee::StdinRecording;
use replay::explore::{Explorer, Front};
use session::Context;
use std::path::PathBuf;
use std::rc::Rc;

/// Takes questions at a prompt, runs the program to answer them, and halts it where they lead
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  qp debug -- java -ea -cp classes Intro\n  qp debug cart.ron\n  \
        qp debug shop.trace                # a recorded run\n  \
        At the prompt: break Intro:31 when foo == null, run, why foo, goto B, help")]
pub struct Debug {
    /// A chain file to continue with; or a recorded run, in which you move back and forth without running the
    /// program, as with `qp trace step`
    #[arg(value_name = "CHAIN|RECORDING", required_unless_present = "program", conflicts_with = "program")]
    pub chain: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub program: ProgramArgs,
    /// A file that the program reads on its standard input
    #[arg(long, value_name = "FILE", requires = "program", conflicts_with = "attach")]
    pub stdin: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub code: CodeArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub trust: TrustArgs,
    /// The command that starts the program, or that restarts the program to attach to
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<String>,
}

impl Debug {
    /// How to move in the recorded run that was named, if it is one.
    pub fn recorded(&self) -> Option<Step> {
        let folder = self.chain.clone().filter(|path| path.is_dir() || recorded::is_packed(path))?;
        Some(Step::at_begin(folder, self.trust))
    }

    /// The same with the launch of the test, if one is named.
    ///
    /// # Errors
    /// There is no such test, the build tool fails, or the user interrupts.
    pub async fn found(&self, context: &Context) -> Result<Debug, CommandError> {
        Ok(Debug { program: self.program.found(context).await?, ..self.clone() })
    }

    /// Creates the session. A test must be [found](Self::found) before. `stdin` records the program's input,
    /// unless that is a file.
    ///
    /// # Errors
    /// The chain cannot be read or trusted.
    pub fn explorer(
        &self,
        front: Rc<dyn Front>,
        stdin: Option<StdinRecording>,
    ) -> Result<Explorer, CommandError> {
        let (name, chain) = match &self.chain {
            Some(file) => {
                let chain = trust::load(file, &Context::uninterrupted(front.progress(true)))?;
                (file.display().to_string(), chain)
            }
            None => ("qp debug".to_owned(), self.empty_chain()),
        };
        let all_frames = self.code.all_frames;
        let mut options = replay::Options { show_output: true, stdin, all_frames, ..self.limits.options() };
        if options.backend == replay::probe_policy::Backend::Auto {
            // A run by events takes further questions while it runs. A run by probes cannot.
            options.backend = replay::probe_policy::Backend::EventsFirst;
        }
        Ok(Explorer::new(&name, self.code.apply(chain), options, front))
    }

    fn empty_chain(&self) -> Chain {
        let debuggee = Debuggee { stdin: self.stdin.clone(), ..self.program.debuggee(&self.command) };
        Chain::new(debuggee, Vec::new())
    }
}

/// A row of the table of prompt commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    /// The word that is typed.
    pub name: &'static str,
    /// Shorter words for it.
    pub aliases: &'static [&'static str],
    /// How it is written.
    pub usage: &'static str,
    /// What it does.
    pub about: &'static str,
    /// The kind of its words, for completion.
    #[serde(skip)]
    pub takes: Takes,
}

/// The kind of words that a prompt command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Words that cannot be completed.
    Nothing,
    /// Classes and their members.
    Places,
    /// Ids of points.
    Points,
    /// Variables in scope, and references.
    Values,
    /// File names.
    Files,
    /// Prompt commands.
    Commands,
    /// Names of settings.
    Settings,
}

/// A prompt command.
trait PromptCommand: Sized {
    /// Parses the words after the command's name.
    ///
    /// # Errors
    /// The words cannot be parsed. The message says how to write the command.
    fn parse(words: &str) -> Result<Self, CommandError>;

    /// Executes the command.
    ///
    /// # Errors
    /// The command cannot be executed. The session goes on.
    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError>;
}

macro_rules! prompt_commands {
    ($($name:literal $aliases:tt $usage:literal $about:literal $takes:ident => $module:ident::$command:ident,)*) => {
        /// The prompt commands.
        pub const TABLE: &[Row] = &[
            $(Row { name: $name, aliases: &$aliases, usage: $usage, about: $about, takes: Takes::$takes },)*
        ];

        async fn dispatch(name: &str, words: &str, explorer: &mut Explorer) -> Result<Reply, CommandError> {
            match name {
                $($name => $module::$command::parse(words)?.execute(explorer).await,)*
                _ => Err(unknown(name)),
            }
        }
    };
}

prompt_commands! {
    "break" ["b"] "break CLASS:LINE | CLASS.METHOD [exit] [CLAUSES]"
        "asks for a line, the entry of a method, or its normal exit" Places => break_at::BreakAt,
    "watch" ["w"] "watch CLASS.FIELD [read] [CLAUSES]"
        "asks for a write of a field, or a read" Places => watch::Watch,
    "catch" [] "catch EXCEPTION [caught | uncaught] [CLAUSES]"
        "asks for an exception being thrown" Places => catch::Catch,
    "lastchange" ["lc"] "lastchange POINT(FRAME):EXPR [CLAUSES]"
        "asks what gave a variable or field the value that a point sees" Values => reference::LastChange,
    "origin" [] "origin POINT(FRAME):EXPR [as ID]"
        "asks for the first point that computed the value that a point sees, through all copies" Values
        => reference::Origin,
    "created" [] "created POINT(FRAME):EXPR [CLAUSES]"
        "asks where the object that a point sees was made" Values => reference::Created,
    "lastread" ["lr"] "lastread POINT(FRAME):FIELD [CLAUSES]"
        "asks for the last read of a field that a point sees" Values => reference::LastRead,
    "contents" [] "contents POINT(FRAME):COLLECTION [CLAUSES]"
        "asks for the last call that changed the contents of a collection" Values => reference::Contents,
    "lastcondition" ["cond"] "lastcondition POINT [CLAUSES]"
        "asks which condition led to a point" Points => last_condition::LastCondition,
    "exception" ["skipped"] "exception CLASS:LINE after POINT [CLAUSES]"
        "asks which exception made execution skip a line" Places => exception::Exception,
    "why" ["y"] "why [EXPR | POINT | POINT(FRAME):EXPR | [EXPR] from POINT~N]"
        "asks for the last change of a value here, or for the last condition that led here, and runs; `from \
         POINT~N`: asks from candidate N of a point" Values
        => why::Why,
    "omitted" [] "omitted EXPR | POINT:EXPR"
        "records a run, and finds operations on an object seen here that were not executed; ends a halted \
         program" Values => omitted::Omitted,
    "candidates" [] "candidates POINT"
        "lists the occurrences that were not the answer of a point, with numbers" Points
        => candidates::Candidates,
    "when" [] "when POINT [CONDITION]"
        "sets the Java condition of a point, or removes it" Points => when::When,
    "collect" [] "collect POINT [EXPR, EXPR…]"
        "sets the values that a point shows; without EXPR: arguments, locals, fields read" Points
        => collect::Collect,
    "run" ["r"] "run [&]"
        "runs the program and halts it at the last located point, or where it fails if nothing is asked; `&`: in \
         the background" Nothing => run::Run,
    "goto" ["g"] "goto POINT"
        "halts the program at a located point; to go backwards, runs the program again" Points => goto::Goto,
    "step" ["s"] "step"
        "continues to the next line; enters called methods" Nothing => step::Step,
    "next" ["n"] "next"
        "continues to the next line of this method, or of its caller" Nothing => step::Next,
    "continue" ["c"] "continue"
        "continues to the next event of a point that depends on no other point, or to the end" Nothing
        => step::Continue,
    "print" ["p"] "print EXPR"
        "shows the value of a Java expression where the program is halted" Values => print::Print,
    "frames" ["bt", "frame"] "frames [N]"
        "shows the stack where the program is halted, or selects frame N" Nothing => frames::Frames,
    "locals" ["l"] "locals [FRAME]"
        "shows the variables in scope in a frame" Nothing => locals::Locals,
    "source" ["list"] "source [POINT | CLASS:LINE]"
        "shows source lines: here, at a point, or of a class" Places => source::Source,
    "points" ["info"] "points [POINT]"
        "lists the points with their places, or shows one in full" Points => points::Points,
    "graph" [] "graph"
        "shows how the points depend on each other" Nothing => graph::Graph,
    "remove" ["delete"] "remove POINT…"
        "removes points" Points => remove::Remove,
    "save" [] "save FILE"
        "saves the chain to a file; `qp replay` gives the same answers" Files => save::Save,
    "load" [] "load FILE"
        "continues with the chain of a file" Files => load::Load,
    "output" [] "output [N]"
        "shows the last lines that the program printed" Nothing => output::Output,
    "runs" [] "runs"
        "lists the runs of this session" Nothing => runs::Runs,
    "diff" [] "diff [RUN RUN]"
        "shows how the answers of two runs differ, by default of the last two" Nothing => diff::Diff,
    "set" [] "set [NAME VALUE]"
        "shows the settings, or changes one" Settings => set::Set,
    "help" ["h", "?"] "help [COMMAND]"
        "explains the commands, or one" Commands => help::Help,
    "quit" ["q", "exit"] "quit"
        "ends the program and the session" Nothing => quit::Quit,
}

/// Executes the command of a line. An empty line and a comment do nothing.
///
/// # Errors
/// The line is no command, or the command cannot be executed. The session goes on.
pub async fn execute(line: &str, explorer: &mut Explorer) -> Result<Reply, CommandError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Reply::Nothing);
    }
    let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let row = find(name).ok_or_else(|| unknown(name))?;
    Box::pin(dispatch(row.name, words.trim(), explorer)).await
}

/// Finds a command by its name, an alias, or the beginning of exactly one name.
pub fn find(word: &str) -> Option<&'static Row> {
    let exact = TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word));
    exact.or_else(|| {
        let mut begins = TABLE.iter().filter(|row| !word.is_empty() && row.name.starts_with(word));
        begins.next().filter(|_| begins.next().is_none())
    })
}

fn unknown(word: &str) -> CommandError {
    let begins: Vec<&str> = TABLE.iter().map(|r| r.name).filter(|n| n.starts_with(word)).collect();
    if begins.len() > 1 {
        return CommandError::Usage(format!("`{word}` can be {}", begins.join(" or ")));
    }
    let near = TABLE.iter().min_by_key(|row| strsim::damerau_levenshtein(row.name, word));
    let near = near.filter(|row| strsim::damerau_levenshtein(row.name, word) <= 2);
    let near = near.map(|row| format!("; did you mean `{}`?", row.name)).unwrap_or_else(|| ";".to_owned());
    CommandError::Usage(format!("there is no command `{word}`{near} `help` lists them"))
}

/// The names of the settings.
pub fn settings() -> impl Iterator<Item = &'static str> {
    set::names()
}

/// The error that says how to write a command.
fn usage(name: &str) -> CommandError {
    let usage = TABLE.iter().find(|row| row.name == name).map_or("help", |row| row.usage);
    CommandError::Usage(format!("write it as: {usage}"))
}

/// Checks that a command without words has none.
fn nothing(words: &str, name: &str) -> Result<(), CommandError> {
    if words.is_empty() { Ok(()) } else { Err(usage(name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_by_its_beginning_if_there_is_one() {
        assert_eq!(find("run").map(|r| r.name), Some("run"));
        assert_eq!(find("gr").map(|r| r.name), Some("graph"));
        assert_eq!(find("r").map(|r| r.name), Some("run"), "an alias comes first");
        assert_eq!(find("wh"), None, "when and why");
        assert_eq!(find(""), None);
    }

    #[test]
    fn no_word_means_two_commands() {
        let mut words: Vec<&str> =
            TABLE.iter().flat_map(|r| r.aliases.iter().chain([&r.name])).copied().collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }

    #[test]
    fn a_slip_is_recognised() {
        assert!(unknown("pritn").to_string().contains("did you mean `print`?"));
        assert!(!unknown("xyzzy").to_string().contains("did you mean"));
    }
}
