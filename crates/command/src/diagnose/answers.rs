//! The answers to questions of `qp diagnose`: their table and their parsers. People write words, and programs
//! write JSON objects.

use crate::CommandError;
use crate::prompt_row::{PromptRow, row};
use diagnose::{Judgement, Trust};
use serde::Deserialize;

/// The answers.
pub const ANSWER_TABLE: &[PromptRow] = &[
    row("valid", &["v", "yes", "y"], "valid", "the call did what it should"),
    row("invalid", &["i", "no", "n"], "invalid", "the call did not do what it should"),
    row(
        "wrong",
        &["!"],
        "wrong PATH",
        "the call is invalid, and this part of its outcome is wrong: c[2], result, this.head.next",
    ),
    row(
        "trusted",
        &["t", "trust"],
        "trusted [class | package]",
        "its method is always correct; `class` or `package`: so are all methods there",
    ),
    row("unknown", &["u", "?"], "unknown", "you do not know"),
    row("inadmissible", &["x"], "inadmissible", "the call was given wrong inputs"),
    row(
        "ensures",
        &[],
        "ensures CONDITION",
        "all calls of the method must do this: `result.length() == 7`; a condition alone says the same",
    ),
    row(
        "complete",
        &[],
        "complete CONDITION",
        "the same, and it is all that they must do: calls for which it holds are valid",
    ),
    row("run", &[], "run", "shows the calls of the method that the same call made, each on a line"),
    row("all", &[], "all valid | invalid | …", "the answer is about all calls that `run` shows"),
    row(
        "show",
        &["s"],
        "show VALUE",
        "an object or variable as the call ended; `show this.toString()` runs that method, in another run",
    ),
    row("history", &[], "history VARIABLE", "all writes to a variable"),
    row("events", &["e"], "events", "the events of the call, in order"),
    row("node", &["#"], "node [N]", "asks about call #N instead; without N, returns to the call before"),
    row("undo", &[], "undo", "takes back the last answer"),
    row("answers", &["a"], "answers", "lists the kept answers with their numbers"),
    row("retract", &["r"], "retract N", "takes back kept answer N"),
    row("where", &["w"], "where", "shows the question again"),
    row("more", &["m"], "more", "shows the question in full: all variables and changes, with whole values"),
    row("help", &["h"], "help", "shows this table and the strategies"),
    row("quit", &["q"], "quit", "ends"),
];

/// What an answer does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerCommand {
    /// Judges the call.
    Judge(Judgement),
    /// The call is invalid, and the value at this path is wrong.
    Wrong(String),
    /// All calls of the method must ensure a condition.
    Ensure {
        /// The condition, in Java.
        condition: String,
        /// Whether it is all that they must do.
        complete: bool,
    },
    /// Shows the calls of the run.
    Run,
    /// Judges all calls of the run.
    JudgeRun(Judgement),
    /// Shows a value at the end of the call.
    Show(String),
    /// Shows the writes to a variable.
    History(String),
    /// Shows the events of the call.
    Events,
    /// Asks about the call with this number; `None`: about the call that the strategy chose.
    Node(Option<u32>),
    /// Takes back the last answer.
    Undo,
    /// Shows the stored answers.
    Answers,
    /// Takes back a stored answer, by its number from 1 on.
    Retract(usize),
    /// Shows the question again.
    Where,
    /// Shows the question in full.
    More,
    /// Shows the table.
    Help,
    /// Ends the dialogue.
    Quit,
}

impl AnswerCommand {
    /// Parses a line in words. An empty line shows the question again.
    ///
    /// # Errors
    /// The line is no answer.
    pub fn parse(line: &str) -> Result<AnswerCommand, CommandError> {
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or("where");
        let known = ANSWER_TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word));
        let Some(row) = known else {
            if assertions::is_condition(line) {
                return Ok(AnswerCommand::Ensure { condition: line.trim().to_owned(), complete: false });
            }
            return Err(CommandError::Usage(format!("`{word}` is no answer; `help` lists the answers")));
        };
        let usage = || CommandError::Usage(format!("write: {}", row.usage));
        if let "wrong" | "show" | "history" | "ensures" | "complete" = row.name {
            // A path can have spaces in a map key.
            let path = line.trim().strip_prefix(word).unwrap_or_default().trim().to_owned();
            return match row.name {
                _ if path.is_empty() => Err(usage()),
                "wrong" => Ok(AnswerCommand::Wrong(path)),
                "show" => Ok(AnswerCommand::Show(path)),
                "ensures" | "complete" => {
                    Ok(AnswerCommand::Ensure { condition: path, complete: row.name == "complete" })
                }
                _ => Ok(AnswerCommand::History(path)),
            };
        }
        if row.name == "all" {
            let rest = line.trim().strip_prefix(word).unwrap_or_default();
            return match AnswerCommand::parse(rest)? {
                AnswerCommand::Judge(judgement) => Ok(AnswerCommand::JudgeRun(judgement)),
                _ => Err(usage()),
            };
        }
        let rest = words.next();
        if words.next().is_some() {
            return Err(usage());
        }
        Ok(match (row.name, rest) {
            ("trusted", None | Some("method")) => AnswerCommand::Judge(Judgement::Trusted(Trust::Method)),
            ("trusted", Some("class")) => AnswerCommand::Judge(Judgement::Trusted(Trust::Class)),
            ("trusted", Some("package")) => AnswerCommand::Judge(Judgement::Trusted(Trust::Package)),
            ("retract", Some(number)) => AnswerCommand::Retract(number.parse().map_err(|_| usage())?),
            ("node", Some(call)) => {
                AnswerCommand::Node(Some(call.trim_start_matches('#').parse().map_err(|_| usage())?))
            }
            ("retract", None) | (_, Some(_)) => return Err(usage()),
            ("valid", None) => AnswerCommand::Judge(Judgement::Valid),
            ("invalid", None) => AnswerCommand::Judge(Judgement::Invalid),
            ("unknown", None) => AnswerCommand::Judge(Judgement::Unknown),
            ("inadmissible", None) => AnswerCommand::Judge(Judgement::Inadmissible),
            ("run", None) => AnswerCommand::Run,
            ("events", None) => AnswerCommand::Events,
            ("node", None) => AnswerCommand::Node(None),
            ("undo", None) => AnswerCommand::Undo,
            ("answers", None) => AnswerCommand::Answers,
            ("more", None) => AnswerCommand::More,
            ("help", None) => AnswerCommand::Help,
            ("quit", None) => AnswerCommand::Quit,
            (_, None) => AnswerCommand::Where,
        })
    }
}

/// How the answers of a dialogue are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// In the words of [`ANSWER_TABLE`], by people.
    Words,
    /// As JSON objects, by programs.
    Json,
}

/// An answer, and the call that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAnswer {
    /// The number of the call; `None`: the call of the open question.
    pub node: Option<u32>,
    /// What the answer does.
    pub command: AnswerCommand,
}

impl GivenAnswer {
    /// Parses a line as the answer to the question with this number. Words carry no number.
    ///
    /// # Errors
    /// The line is no answer, or it answers another question.
    pub fn parse(line: &str, form: AnswerForm, question: u32) -> Result<GivenAnswer, CommandError> {
        match form {
            AnswerForm::Words => Ok(GivenAnswer { node: None, command: AnswerCommand::parse(line)? }),
            AnswerForm::Json => AnswerObject::parse(line, question),
        }
    }
}

/// An answer as a JSON object.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerObject {
    question: u32,
    answer: Option<AnswerWord>,
    /// A command in words that shows something, in place of an answer.
    command: Option<String>,
    node: Option<u32>,
    /// The scope of `trusted`.
    of: Option<Trust>,
    /// The path of `wrong`.
    path: Option<String>,
    /// The condition of `ensures` and `complete`.
    condition: Option<String>,
    /// Whether the answer is about all calls of the run.
    #[serde(default)]
    all: bool,
}

/// An answer, in a word that programs write.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum AnswerWord {
    /// The call did what it should.
    Valid,
    /// It did not.
    Invalid,
    /// It did not, and the value at a path is wrong.
    Wrong,
    /// Its method is always right, or a whole class or package.
    Trusted,
    /// The answer is unknown.
    Unknown,
    /// The call was given wrong inputs.
    Inadmissible,
    /// All calls of its method must ensure a condition.
    Ensures,
    /// The same, and it is all that they must do.
    Complete,
    /// Takes back the last answer.
    Undo,
}

impl AnswerWord {
    /// What the answer does. `of` is the scope of `trusted`, and `detail` the path of the wrong value or the
    /// condition.
    ///
    /// # Errors
    /// `wrong` has no path, or `ensures` or `complete` no condition.
    pub fn command(self, of: Option<Trust>, detail: Option<String>) -> Result<AnswerCommand, CommandError> {
        Ok(match (self, detail) {
            (AnswerWord::Valid, _) => AnswerCommand::Judge(Judgement::Valid),
            (AnswerWord::Invalid, _) => AnswerCommand::Judge(Judgement::Invalid),
            (AnswerWord::Unknown, _) => AnswerCommand::Judge(Judgement::Unknown),
            (AnswerWord::Inadmissible, _) => AnswerCommand::Judge(Judgement::Inadmissible),
            (AnswerWord::Trusted, _) => AnswerCommand::Judge(Judgement::Trusted(of.unwrap_or(Trust::Method))),
            (AnswerWord::Undo, _) => AnswerCommand::Undo,
            (AnswerWord::Ensures | AnswerWord::Complete, Some(condition)) => {
                AnswerCommand::Ensure { condition, complete: self == AnswerWord::Complete }
            }
            (AnswerWord::Ensures | AnswerWord::Complete, None) => {
                let why = "`ensures` and `complete` need the `condition`, such as `result > 0`";
                return Err(CommandError::Usage(why.to_owned()));
            }
            (AnswerWord::Wrong, Some(path)) => AnswerCommand::Wrong(path),
            (AnswerWord::Wrong, None) => {
                return Err(CommandError::Usage("`wrong` needs the `path` of the wrong value".to_owned()));
            }
        })
    }
}

impl AnswerObject {
    fn parse(line: &str, question: u32) -> Result<GivenAnswer, CommandError> {
        let none = |why: &str| {
            CommandError::Usage(format!(
                "this is no answer: {why}; write {{\"question\": {question}, \"answer\": \"valid\"}}"
            ))
        };
        let answer: AnswerObject = serde_json::from_str(line).map_err(|error| none(&error.to_string()))?;
        if answer.question != question {
            let why = format!("this answers question {}, and question {question} was asked", answer.question);
            return Err(CommandError::Usage(why));
        }
        let stray = [
            ("of", answer.of.is_some() && answer.answer != Some(AnswerWord::Trusted)),
            ("path", answer.path.is_some() && answer.answer != Some(AnswerWord::Wrong)),
            (
                "condition",
                answer.condition.is_some()
                    && !matches!(answer.answer, Some(AnswerWord::Ensures | AnswerWord::Complete)),
            ),
        ];
        if let Some((field, _)) = stray.into_iter().find(|(_, is_stray)| *is_stray) {
            let why = format!(
                "`{field}` says nothing here: `of` goes with `trusted`, `path` with `wrong`, and `condition` \
                     with `ensures` and `complete`"
            );
            return Err(CommandError::Usage(why));
        }
        let node = answer.node;
        let word = match (answer.answer, answer.command) {
            (Some(word), None) => word,
            (None, Some(command)) => {
                let command = AnswerCommand::parse(&command)?;
                return match command {
                    AnswerCommand::Show(_)
                    | AnswerCommand::History(_)
                    | AnswerCommand::Events
                    | AnswerCommand::Run
                    | AnswerCommand::Node(_) => Ok(GivenAnswer { node, command }),
                    _ => Err(none(
                        "a `command` is `show`, `history`, `events`, `run` or `node`; put a judgement of \
                         the call in `answer`",
                    )),
                };
            }
            (None, None) => return Err(none("it has no `answer`")),
            (Some(_), Some(_)) => return Err(none("it has an `answer` and a `command`")),
        };
        let command = word.command(answer.of, answer.path.or(answer.condition))?;
        let command = match (answer.all, command) {
            (false, command) => command,
            (true, AnswerCommand::Judge(judgement)) => AnswerCommand::JudgeRun(judgement),
            (true, _) => return Err(none("`all` goes with a judgement of calls")),
        };
        Ok(GivenAnswer { node, command })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_command() {
        for row in ANSWER_TABLE {
            let line = row.usage.replace("OBJECT | VARIABLE", "this").replace("[class | package]", "class");
            let line = line.replace("[N]", "2").replace(" N", " 3").replace("CONDITION", "result > 0");
            let line = line.replace("valid | invalid | …", "valid");
            let command = AnswerCommand::parse(&line).unwrap_or_else(|e| panic!("{line}: {e}"));
            assert_eq!(command == AnswerCommand::Where, row.name == "where", "{line}");
            for alias in row.aliases {
                let short = line.replacen(row.name, alias, 1);
                assert_eq!(AnswerCommand::parse(&short).ok(), Some(command.clone()), "{short}");
            }
        }
    }

    #[test]
    fn lines_become_answers() {
        let parsed = |line: &str| AnswerCommand::parse(line).ok();
        let trusted = |trust| Some(AnswerCommand::Judge(Judgement::Trusted(trust)));
        assert_eq!(parsed(" valid "), Some(AnswerCommand::Judge(Judgement::Valid)));
        assert_eq!(parsed("n"), Some(AnswerCommand::Judge(Judgement::Invalid)));
        assert_eq!(parsed("trust class"), trusted(Trust::Class));
        assert_eq!(parsed("t"), trusted(Trust::Method));
        assert_eq!(parsed("m"), Some(AnswerCommand::More));
        assert_eq!(parsed(""), Some(AnswerCommand::Where));
        assert_eq!(parsed(" wrong  c[2] "), Some(AnswerCommand::Wrong("c[2]".to_owned())));
        assert_eq!(parsed("show this.a[2]"), Some(AnswerCommand::Show("this.a[2]".to_owned())));
        assert_eq!(parsed("node #12"), Some(AnswerCommand::Node(Some(12))));
        assert_eq!(parsed("node"), Some(AnswerCommand::Node(None)));
        assert_eq!(parsed("! count{\"a b\"}"), Some(AnswerCommand::Wrong("count{\"a b\"}".to_owned())));
        assert_eq!(parsed("all v"), Some(AnswerCommand::JudgeRun(Judgement::Valid)));
        assert_eq!(parsed("run"), Some(AnswerCommand::Run));
        let ensure = |condition: &str, complete| {
            Some(AnswerCommand::Ensure { condition: condition.to_owned(), complete })
        };
        assert_eq!(parsed("result.length() == 7 "), ensure("result.length() == 7", false));
        assert_eq!(parsed("ensures all[0] > 0"), ensure("all[0] > 0", false));
        assert_eq!(parsed("complete result == a + b"), ensure("result == a + b", true));
        for none in [
            "ensures",
            "all",
            "all undo",
            "result.length( == 7",
            "wrong",
            "show",
            "history",
            "node x",
            "retract",
            "events all",
            "perhaps",
            "valid really",
            "trust me",
            "trust class now",
        ] {
            assert_eq!(parsed(none), None, "{none}");
        }
    }

    #[test]
    fn an_object_answers_the_question_of_its_number() {
        let parsed = |line: &str| GivenAnswer::parse(line, AnswerForm::Json, 3);
        let command = |line: &str| parsed(line).ok().map(|given| (given.node, given.command));
        let judge = |judgement| Some((None, AnswerCommand::Judge(judgement)));
        assert_eq!(command(r#"{"question": 3, "answer": "valid"}"#), judge(Judgement::Valid));
        assert_eq!(
            command(r#"{"question": 3, "answer": "trusted", "of": "package"}"#),
            judge(Judgement::Trusted(Trust::Package))
        );
        assert_eq!(
            command(r#"{"question": 3, "answer": "wrong", "path": "c[2]", "node": 7}"#),
            Some((Some(7), AnswerCommand::Wrong("c[2]".to_owned())))
        );
        assert_eq!(
            command(r#"{"question": 3, "command": "show this"}"#),
            Some((None, AnswerCommand::Show("this".to_owned())))
        );
        for (line, why) in [
            (r#"{"question": 2, "answer": "valid"}"#, "question 3 was asked"),
            (r#"{"question": 3, "answer": "valid", "of": "class"}"#, "`of` says nothing here"),
            (r#"{"question": 3, "answer": "wrong"}"#, "needs the `path`"),
            (r#"{"question": 3, "answer": "undo", "all": true}"#, "`all` goes with a judgement"),
            (r#"{"question": 3, "answer": "ensures"}"#, "need the `condition`"),
            (r#"{"question": 3, "answer": "valid", "condition": "a > 0"}"#, "`condition` says nothing here"),
            (r#"{"question": 3, "command": "quit"}"#, "a `command` is"),
            (r#"{"question": 3}"#, "it has no `answer`"),
            ("valid", "this is no answer"),
        ] {
            let error = parsed(line).unwrap_err().to_string();
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}
