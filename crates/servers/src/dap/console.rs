//! The questions that a user writes in the debug console of an editor: their table, their parser, and their
//! answers.

use command::CommandError;
use command::cursor::Cursor;
use command::prompt_row::{BACK, FORWARD, GO, HELP, HISTORY, ORIGIN, OUT, PromptRow, WHY, row};
use logic::rules::Asked as AskedGoal;
use omission::{OmissionAnswer, OmissionQuestion, WrongPoint};
use past::{Cause, Direction, EventRef, History, Move, Stop, StopReason, Which};
use recorded::ValueOrigin;
use recorded::logic::{AskRequest, OpenLog};
use session::Context;
use trace::EventPosition;

/// Maximum number of writes of a history.
const WRITES: usize = 200;
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
    row("omitted", &[], "omitted VARIABLE", "operations on an object that were not executed before this"),
    row("?-", &[], "?- GOAL", "the solutions of a logic goal over the recording"),
    HELP,
];

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsoleCommand {
    /// To the nearest write to a variable.
    ToWrite(Direction, String),
    /// What last wrote a variable.
    Why(String),
    /// Which condition led here.
    WhyHere,
    /// Where the value of a variable was computed.
    Origin(String),
    /// The writes to a variable.
    History(String),
    /// To an event.
    Go(EventRef),
    /// To an execution of this line.
    ToLine(Which),
    /// A step back.
    Step(Move),
    /// The operations on an object that were not executed.
    Omitted(String),
    /// The solutions of a logic goal.
    Goal(String),
    /// The table.
    Help,
}

/// The answer to a question.
pub enum ConsoleReply {
    /// The position has changed.
    Moved(Stop),
    /// A cause.
    Cause(Box<Cause>),
    /// Where a value was computed.
    Origin(Box<ValueOrigin>),
    /// Writes.
    History(History),
    /// Operations that were not executed.
    Omitted(Box<OmissionAnswer>),
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
            "why" if is_alone => ConsoleCommand::WhyHere,
            "back" => ConsoleCommand::ToWrite(Direction::Back, variable()?),
            "forward" => ConsoleCommand::ToWrite(Direction::Forward, variable()?),
            "why" => ConsoleCommand::Why(variable()?),
            "origin" => ConsoleCommand::Origin(variable()?),
            "history" => ConsoleCommand::History(variable()?),
            "go" => match EventRef::parse(rest) {
                Some(event) => ConsoleCommand::Go(event),
                None => return Ok(None),
            },
            "omitted" => ConsoleCommand::Omitted(variable()?),
            "?-" => ConsoleCommand::Goal(variable()?),
            _ => return Ok(None),
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
            ConsoleCommand::Why(name) => ConsoleReply::Cause(Box::new(cursor.trace.why(moment, name)?)),
            ConsoleCommand::WhyHere => ConsoleReply::Cause(Box::new(cursor.trace.why_here(moment)?)),
            ConsoleCommand::Origin(name) => {
                let calls = &cursor.trace.calls;
                let mut frames = std::iter::successors(Some(cursor.at), |at| calls.made_at(at.node));
                let none = || CommandError::Usage("this frame was not recorded".to_owned());
                let number = frames.position(|at| at == frame).ok_or_else(none)?;
                let trace = cursor.trace.reopened(context).await?;
                let found = recorded::origin(trace, cursor.at, number, name, context)?;
                ConsoleReply::Origin(Box::new(found))
            }
            ConsoleCommand::History(name) => {
                ConsoleReply::History(cursor.trace.history(moment, name, WRITES)?)
            }
            ConsoleCommand::ToLine(which) => {
                let none = || CommandError::Usage("this line was not executed there".to_owned());
                let line = cursor.trace.line_of(frame, frame == cursor.at)?.ok_or_else(none)?;
                let place = cursor.trace.execution(cursor.at, &line, *which)?.ok_or_else(none)?;
                let stop = cursor.trace.stop(place, StopReason::Goto)?;
                ConsoleReply::Moved(cursor.stand(stop))
            }
            ConsoleCommand::Step(to) => ConsoleReply::Moved(cursor.go(*to, context)?),
            ConsoleCommand::Omitted(_) if frame != cursor.at => {
                let why =
                    "only variables of the innermost frame can be asked about: `out` goes to the caller";
                return Err(CommandError::Usage(why.to_owned()));
            }
            ConsoleCommand::Omitted(name) => {
                let trace = cursor.trace.reopened(context).await?;
                let question = OmissionQuestion::new(name, WrongPoint::Event(cursor.at));
                let answer = Box::pin(omission::ask_omissions(trace, &question, context)).await?;
                ConsoleReply::Omitted(Box::new(answer))
            }
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
