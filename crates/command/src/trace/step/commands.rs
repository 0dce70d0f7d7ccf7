//! The commands of `qp trace step`: their table, and their parser.

use crate::CommandError;
use crate::prompt_row::{BACK, FORWARD, GO, HELP, HISTORY, OMITTED, ORIGIN, OUT, PromptRow, WHY, row};
use crate::recorded_question::RecordedQuestion;
use past::{Direction, EventRef, SourceLine};
use std::path::PathBuf;

/// Events on each side of a list, unless the command names their number.
pub(super) const AROUND: usize = 6;
/// Maximum number of steps per command.
const MOST: usize = 10_000;

/// The commands.
pub const STEP_TABLE: &[PromptRow] = &[
    row(
        "next",
        &["n"],
        "next [N]",
        "to the next event of the call; after its last event, to the next one of its caller",
    ),
    row(
        "previous",
        &["p", "prev"],
        "previous [N]",
        "to the previous event; from the entry, to the place of the call in its caller",
    ),
    row(
        "line",
        &[],
        "line [back] [N]",
        "to the next line of this call, or of its caller; back: to the previous one",
    ),
    row(
        "to",
        &[],
        "to CLASS:LINE [back]",
        "to the next execution of a line in this thread; back: to the previous one",
    ),
    row("into", &["i"], "into", "into the call made here"),
    OUT,
    row("end", &["e"], "end", "to the end of this call"),
    BACK,
    FORWARD,
    row("call", &["c"], "call N", "to the entry of call #N"),
    GO,
    row(
        "list",
        &["l"],
        "list [N]",
        "the events around this one, with the changes after `mark` and the jumps after `omitted`",
    ),
    row(
        "mark",
        &["m"],
        "mark VARIABLE",
        "makes `list` show the changes of a variable, and the calls with changes below them",
    ),
    row(
        "show",
        &["s"],
        "show OBJECT | VARIABLE",
        "an object or variable in its state here, with the objects it refers to",
    ),
    WHY,
    ORIGIN,
    HISTORY,
    OMITTED,
    row(
        "chain",
        &[],
        "chain [FILE]",
        "the chain of this event, to halt a run here and ask backwards from it",
    ),
    row("stack", &["k"], "stack", "the calls around this event, and the suspended callers of a coroutine"),
    row("where", &["w"], "where", "shows the current event again"),
    HELP,
    row("quit", &["q"], "quit", "ends"),
];

/// A command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepCommand {
    /// This many events forward.
    Next(usize),
    /// This many events back.
    Previous(usize),
    /// This many lines of the call.
    Line(Direction, usize),
    /// To the nearest execution of a line.
    ToLine(Direction, SourceLine),
    /// Into the call that is made here.
    Into,
    /// To where this call is made.
    Out,
    /// To the end of this call.
    End,
    /// To the nearest change of a variable.
    Change(Direction, String),
    /// To the entry of a call.
    Call(u32),
    /// The events around this one, this many on each side.
    List(usize),
    /// Marks the changes of a variable in lists.
    Mark(String),
    /// Shows an object or variable.
    Show(String),
    /// To an event.
    Go(EventRef),
    /// Answers a question.
    Ask(RecordedQuestion),
    /// Makes the chain of this event, and writes it to a file if one is named.
    Chain(Option<PathBuf>),
    /// Shows the calls around the current event.
    Stack,
    /// Shows the current event again.
    Where,
    /// Shows the table.
    Help,
    /// Ends the dialogue.
    Quit,
}

impl StepCommand {
    /// The command of a line; `None` for an empty line and a comment.
    ///
    /// # Errors
    /// The line is not a command.
    pub fn parse(line: &str) -> Result<Option<StepCommand>, CommandError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if word.is_empty() || word.starts_with('#') {
            return Ok(None);
        }
        let known = STEP_TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word));
        let Some(row) = known else {
            let why = format!("`{word}` is not a command here: `help` lists the commands");
            return Err(CommandError::Usage(why));
        };
        let usage = || CommandError::Usage(format!("write: {}", row.usage));
        let times = |rest: &str, default: usize| match rest {
            "" => Ok(default),
            number => number.parse().ok().filter(|n| (1..=MOST).contains(n)).ok_or_else(usage),
        };
        let variable = || Some(rest.to_owned()).filter(|rest| !rest.is_empty()).ok_or_else(usage);
        Ok(Some(match row.name {
            "next" => StepCommand::Next(times(rest, 1)?),
            "previous" => StepCommand::Previous(times(rest, 1)?),
            "line" => match rest.strip_prefix("back") {
                Some(rest) => StepCommand::Line(Direction::Back, times(rest.trim(), 1)?),
                None => StepCommand::Line(Direction::Forward, times(rest, 1)?),
            },
            "to" => {
                let (direction, line) = match rest.strip_suffix(" back") {
                    Some(line) => (Direction::Back, line),
                    None => (Direction::Forward, rest),
                };
                StepCommand::ToLine(direction, SourceLine::parse(line).ok_or_else(usage)?)
            }
            "into" => StepCommand::Into,
            "out" => StepCommand::Out,
            "end" => StepCommand::End,
            "back" => StepCommand::Change(Direction::Back, variable()?),
            "forward" => StepCommand::Change(Direction::Forward, variable()?),
            "call" => StepCommand::Call(rest.trim_start_matches('#').parse().map_err(|_| usage())?),
            "list" => StepCommand::List(times(rest, AROUND)?),
            "mark" => StepCommand::Mark(variable()?),
            "show" => StepCommand::Show(variable()?),
            "go" => StepCommand::Go(EventRef::parse(rest).ok_or_else(usage)?),
            "chain" => StepCommand::Chain(Some(PathBuf::from(rest)).filter(|_| !rest.is_empty())),
            "stack" => StepCommand::Stack,
            "help" => StepCommand::Help,
            "quit" => StepCommand::Quit,
            word => RecordedQuestion::of_word(word, rest)?.map_or(StepCommand::Where, StepCommand::Ask),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_command() {
        for row in STEP_TABLE {
            let line = row.usage.replace("CLASS:LINE", "Shop:12").replace("EVENT", "12.4");
            let line = line.replace("[N]", "2").replace(" N", " 3").replace("[back]", "back");
            let command = StepCommand::parse(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(command == Some(StepCommand::Where), row.name == "where", "{line}");
            for alias in row.aliases {
                assert_eq!(
                    StepCommand::parse(&line.replacen(row.name, alias, 1)).ok(),
                    Some(command.clone())
                );
            }
        }
    }

    #[test]
    fn lines_become_commands() {
        let parsed = |line: &str| StepCommand::parse(line).ok().flatten();
        let line = SourceLine::parse("Shop:12").unwrap();
        assert_eq!(parsed(" n  3 "), Some(StepCommand::Next(3)));
        assert_eq!(parsed("line back 2"), Some(StepCommand::Line(Direction::Back, 2)));
        assert_eq!(parsed("to Shop.java:12 back"), Some(StepCommand::ToLine(Direction::Back, line)));
        assert_eq!(parsed("call #7"), Some(StepCommand::Call(7)));
        assert_eq!(parsed("list"), Some(StepCommand::List(AROUND)));
        assert_eq!([parsed(""), parsed("# a comment")], [None, None]);
        for wrong in ["next 0", "next x", "to Shop", "back", "call", "jump"] {
            assert!(StepCommand::parse(wrong).is_err(), "{wrong}");
        }
    }
}
