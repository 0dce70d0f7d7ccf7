//! The commands of the prompt of `qp query`.

use super::predefined::Predefined;
use crate::CommandError;
use logic::queries::QUERIES;
use std::path::PathBuf;

/// A row of the table of commands.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct PromptRow {
    /// What the user types.
    pub words: &'static str,
    /// Its purpose.
    pub about: &'static str,
}

/// The commands.
pub const PROMPT_TABLE: &[PromptRow] = &[
    PromptRow { words: "GOAL.", about: "ask a goal; the final `.` may be left out" },
    PromptRow { words: "; or Enter", about: "the next solution" },
    PromptRow { words: ".", about: "no further solution" },
    PromptRow { words: "chain 15", about: "a predefined query, in the words of the command line" },
    PromptRow {
        words: "rules [FILE]",
        about: "add a file of rules, or list the files; each goal reads them again",
    },
    PromptRow { words: "list", about: "the predicates of the rules, and the predefined queries" },
    PromptRow { words: "save FILE.json", about: "save the last answer" },
    PromptRow { words: "help", about: "these commands" },
    PromptRow { words: "quit", about: "end" },
];

/// A command.
pub(super) enum PromptCommand {
    /// The next solution.
    Next,
    /// No further solution.
    Enough,
    /// A goal.
    Goal(String),
    /// A predefined query.
    Query(Box<Predefined>),
    /// Add a file of rules.
    Rules(Option<PathBuf>),
    List,
    Save(PathBuf),
    Help,
    Quit,
}

impl PromptCommand {
    /// The command of a line; `None` if it has none.
    ///
    /// # Errors
    /// The line is no command.
    pub(super) fn parse(line: &str, waits: bool) -> Result<Option<PromptCommand>, CommandError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let usage = |text: &str| Err(CommandError::Usage(format!("write: {text}")));
        let command = match (word, rest) {
            ("" | ";", "") if waits => PromptCommand::Next,
            (";", "") => return Err(CommandError::Usage("no goal waits: ask one first".to_owned())),
            ("", "") => return Ok(None),
            (".", "") => PromptCommand::Enough,
            ("rules", "") => PromptCommand::Rules(None),
            ("rules", file) => PromptCommand::Rules(Some(PathBuf::from(file))),
            ("list", "") => PromptCommand::List,
            ("save", "") => return usage("save FILE.json"),
            ("save", file) => PromptCommand::Save(PathBuf::from(file)),
            ("help" | "help." | "?", "") => PromptCommand::Help,
            ("quit" | "exit" | "quit." | "exit." | "halt" | "halt.", "") => PromptCommand::Quit,
            _ if line.starts_with('%') || line.starts_with('#') => return Ok(None),
            _ if QUERIES.iter().any(|query| query.name == word) => {
                PromptCommand::Query(Box::new(Predefined::parse(line)?))
            }
            _ => PromptCommand::Goal(line.to_owned()),
        };
        Ok(Some(command))
    }
}
