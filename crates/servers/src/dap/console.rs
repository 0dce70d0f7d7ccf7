//! The questions that a user writes in the debug console of an editor: their table, their parser, and their
//! answers.

use command::CommandError;
use command::cursor::Cursor;
use command::prompt_row::{BACK, FORWARD, GO, HELP, HISTORY, OMITTED, ORIGIN, OUT, PromptRow, WHY, row};
use command::recorded_question::{AskedAt, RecordedQuestion, RecordedReply};
use logic::rules::Asked as AskedGoal;
use past::{Direction, EventRef, Move, Stop, StopReason, Which};
use recorded::logic::{AskRequest, OpenLog};
use session::Context;
use trace::EventPosition;

/// Solutions of a goal that are shown.
const SOLUTIONS: usize = 100;
/// Time limit of a goal, in seconds.
const GOAL_SECONDS: u64 = 300;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 1 << 30;

/// The questions.
pub const CONSOLE_TABLE: &[PromptRow] = &[
    BACK,
    FORWARD,
    WHY,
    ORIGIN,
    HISTORY,
    GO,
    row("previous", &[], "previous", "to the previous execution of this line"),
    row("following", &[], "following", "to the next execution of this line"),
    row("into", &[], "into", "back into the call that ended last"),
    OUT,
    OMITTED,
    row("?-", &[], "?- GOAL", "the solutions of a logic goal over the recording"),
    HELP,
];

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsoleCommand {
    /// To the nearest write to a variable.
    ToWrite(Direction, String),
    /// A question that all front ends have.
    Ask(RecordedQuestion),
    /// To an event.
    Go(EventRef),
    /// To an execution of this line.
    ToLine(Which),
    /// A step back.
    Step(Move),
    /// The solutions of a logic goal.
    Goal(String),
    /// The table.
    Help,
}

/// The answer to a question.
pub enum ConsoleReply {
    /// The position has changed.
    Moved(Stop),
    /// The answer to a question that all front ends have.
    Answer(RecordedReply),
    /// Solutions of a goal.
    Goal(Box<AskedGoal>),
    /// The table.
    Help(&'static [PromptRow]),
}

impl ConsoleCommand {
    /// The question of a text; `None` if it is an expression.
    ///
    /// # Errors
    /// The variable is missing.
    pub fn parse(text: &str) -> Result<Option<ConsoleCommand>, CommandError> {
        let text = text.trim();
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (rest, is_alone) = (rest.trim(), rest.trim().is_empty());
        let Some(row) = CONSOLE_TABLE.iter().find(|row| row.name == word) else { return Ok(None) };
        let variable = || match is_alone {
            true => Err(CommandError::Usage(format!("write: {}", row.usage))),
            false => Ok(rest.to_owned()),
        };
        Ok(Some(match row.name {
            // Anything else that begins with these words is an expression, such as `out + 1`.
            "previous" if is_alone => ConsoleCommand::ToLine(Which::Previous),
            "following" if is_alone => ConsoleCommand::ToLine(Which::Next),
            "into" if is_alone => ConsoleCommand::Step(Move::StepBackInto),
            "out" if is_alone => ConsoleCommand::Step(Move::StepBackOut),
            "help" if is_alone => ConsoleCommand::Help,
            "back" => ConsoleCommand::ToWrite(Direction::Back, variable()?),
            "forward" => ConsoleCommand::ToWrite(Direction::Forward, variable()?),
            "go" => match EventRef::parse(rest) {
                Some(event) => ConsoleCommand::Go(event),
                None => return Ok(None),
            },
            "?-" => ConsoleCommand::Goal(variable()?),
            word => return Ok(RecordedQuestion::of_word(word, rest)?.map(ConsoleCommand::Ask)),
        }))
    }

    /// Answers the question in a frame.
    ///
    /// # Errors
    /// There is no such variable or place, the recording cannot be read, or the user interrupted.
    pub async fn answer(
        &self,
        cursor: &mut Cursor,
        frame: EventPosition,
        context: &Context,
    ) -> Result<ConsoleReply, CommandError> {
        let moment = cursor.moment_in(frame)?;
        Ok(match self {
            ConsoleCommand::ToWrite(direction, name) => {
                let found = cursor.trace.write_in(moment, *direction, name)?;
                let stop = cursor.trace.stop(found.at, StopReason::Goto)?;
                ConsoleReply::Moved(cursor.stand(stop))
            }
            ConsoleCommand::Go(event) => {
                let at = cursor.trace.position(*event)?;
                let stop = cursor.trace.stop(at, StopReason::Goto)?;
                ConsoleReply::Moved(cursor.stand(stop))
            }
            ConsoleCommand::Ask(question) => {
                let at = AskedAt { event: cursor.at, frame };
                let answer = Box::pin(question.answer(&mut cursor.trace, at, context)).await?;
                ConsoleReply::Answer(answer)
            }
            ConsoleCommand::ToLine(which) => {
                let none = || CommandError::Usage("this line was not executed there".to_owned());
                let line = cursor.trace.line_of(frame, frame == cursor.at)?.ok_or_else(none)?;
                let place = cursor.trace.execution(cursor.at, &line, *which)?.ok_or_else(none)?;
                let stop = cursor.trace.stop(place, StopReason::Goto)?;
                ConsoleReply::Moved(cursor.stand(stop))
            }
            ConsoleCommand::Step(to) => ConsoleReply::Moved(cursor.go(*to, context)?),
            ConsoleCommand::Goal(goal) => {
                let asked = AskRequest {
                    goal: goal.clone(),
                    rules: Vec::new(),
                    saved_rules: true,
                    solutions: SOLUTIONS,
                    timeout_s: GOAL_SECONDS,
                    memory: GOAL_MEMORY,
                    explain: false,
                };
                let log = OpenLog::open(cursor.trace.reopened(context).await?, context).await?;
                ConsoleReply::Goal(Box::new(log.ask(&asked, context).await?.0))
            }
            ConsoleCommand::Help => ConsoleReply::Help(CONSOLE_TABLE),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_question() {
        for row in CONSOLE_TABLE {
            for text in [
                row.usage.replace(['[', ']'], "").replace("EVENT", "12.4"),
                row.usage.replace("[VARIABLE]", "").replace("EVENT", "#12.4"),
            ] {
                let parsed = ConsoleCommand::parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
                assert!(parsed.is_some(), "{text}");
            }
        }
    }

    #[test]
    fn other_texts_are_expressions() {
        for text in ["out + 1", "previous.next", "x", "help(3)", "into.y", ""] {
            assert_eq!(ConsoleCommand::parse(text).ok().flatten(), None, "{text}");
        }
        assert!(ConsoleCommand::parse("back").is_err());
    }
}
