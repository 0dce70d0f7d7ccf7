//! The questions about a recorded past that all front ends have: their table, their forms and their answers.
//! A prompt asks them as lines, and an editor or a page as requests.

use crate::CommandError;
use crate::prompt_row::{HISTORY, OMITTED, ORIGIN, PromptRow, WHY};
use omission::{OmissionAnswer, OmissionQuestion, WrongPoint};
use past::{Cause, History, Moment};
use recorded::{RecordedTrace, ValueOrigin};
use session::{Context, SessionError};
use trace::EventPosition;

/// Maximum number of writes of a history.
const WRITES: usize = 200;

/// The questions.
pub const QUESTIONS: &[QuestionRow] = &[
    QuestionRow { prompt: WHY, of: |variable| Some(RecordedQuestion::Why(variable)) },
    QuestionRow { prompt: ORIGIN, of: |variable| variable.map(RecordedQuestion::Origin) },
    QuestionRow { prompt: HISTORY, of: |variable| variable.map(RecordedQuestion::History) },
    QuestionRow { prompt: OMITTED, of: |variable| variable.map(RecordedQuestion::Omitted) },
];

/// A row of the table.
pub struct QuestionRow {
    /// Its word, and what it does.
    pub prompt: PromptRow,
    /// The question about a variable, or about a place; `None` if it needs a variable.
    of: fn(Option<String>) -> Option<RecordedQuestion>,
}

/// A question about the recorded past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedQuestion {
    /// What last wrote a variable, or which condition led here.
    Why(Option<String>),
    /// Where the value of a variable was computed.
    Origin(String),
    /// The writes to a variable.
    History(String),
    /// The operations on the object of a variable that were not executed before this.
    Omitted(String),
}

/// An answer from the recorded past.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(tag = "reply", content = "content", rename_all = "kebab-case")]
pub enum RecordedReply {
    /// A cause.
    Cause(Box<Cause>),
    /// Where a value was computed.
    Origin(Box<ValueOrigin>),
    /// Writes.
    History(History),
    /// Operations that were not executed.
    Omitted(Box<OmissionAnswer>),
}

/// Where a question is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskedAt {
    /// The event.
    pub event: EventPosition,
    /// The position in the frame of the stack whose variables are meant: `event` in the innermost one.
    pub frame: EventPosition,
}

impl AskedAt {
    /// In the innermost frame.
    pub fn innermost(event: EventPosition) -> AskedAt {
        AskedAt { event, frame: event }
    }
}

impl RecordedQuestion {
    /// The question of a word and what follows it; `None` if the word is not in the table.
    ///
    /// # Errors
    /// The variable is missing.
    pub fn of_word(word: &str, rest: &str) -> Result<Option<RecordedQuestion>, CommandError> {
        let Some(row) = QUESTIONS.iter().find(|row| row.prompt.name == word) else { return Ok(None) };
        let variable = Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty());
        let usage = || CommandError::Usage(format!("write: {}", row.prompt.usage));
        (row.of)(variable).map(Some).ok_or_else(usage)
    }

    /// Answers the question.
    ///
    /// # Errors
    /// There is no such variable or no answer, the recording cannot be read, or the user interrupted.
    pub async fn answer(
        &self,
        trace: &mut RecordedTrace,
        at: AskedAt,
        context: &Context,
    ) -> Result<RecordedReply, CommandError> {
        Ok(match self {
            RecordedQuestion::Why(variable) => {
                let moment = moment(trace, at)?;
                RecordedReply::Cause(Box::new(match variable {
                    Some(variable) => trace.why(moment, variable)?,
                    None => trace.why_here(moment)?,
                }))
            }
            RecordedQuestion::History(variable) => {
                let moment = moment(trace, at)?;
                RecordedReply::History(trace.history(moment, variable, WRITES)?)
            }
            RecordedQuestion::Origin(variable) => {
                let frame = number_of_frame(trace, at)?;
                let trace = trace.reopened(context).await?;
                let found = recorded::origin(trace, at.event, frame, variable, context)?;
                RecordedReply::Origin(Box::new(found))
            }
            RecordedQuestion::Omitted(_) if at != AskedAt::innermost(at.event) => {
                let why =
                    "only variables of the innermost frame can be asked about: `out` goes to the caller";
                return Err(CommandError::Usage(why.to_owned()));
            }
            RecordedQuestion::Omitted(variable) => {
                let trace = trace.reopened(context).await?;
                let question = OmissionQuestion::new(variable, WrongPoint::Event(at.event));
                let answer = Box::pin(omission::ask_omissions(trace, &question, context)).await?;
                RecordedReply::Omitted(Box::new(answer))
            }
        })
    }
}

fn moment(trace: &mut RecordedTrace, at: AskedAt) -> Result<Moment, CommandError> {
    Ok(Moment { at: at.frame, ..trace.moment(at.event)? })
}

/// The number of the frame; 0 is the innermost one.
fn number_of_frame(trace: &RecordedTrace, at: AskedAt) -> Result<usize, SessionError> {
    let mut frames = std::iter::successors(Some(at.event), |at| trace.calls.made_at(at.node));
    let none = || SessionError::NoStep("this frame was not recorded".to_owned());
    frames.position(|frame| frame == at.frame).ok_or_else(none)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_has_its_question() {
        for row in QUESTIONS {
            let asked = |rest: &str| RecordedQuestion::of_word(row.prompt.name, rest);
            assert!(matches!(asked(" total "), Ok(Some(_))), "{}", row.prompt.name);
            let needs_variable = !row.prompt.usage.contains('[');
            assert_eq!(asked("").is_err(), needs_variable, "{}", row.prompt.name);
        }
        assert_eq!(RecordedQuestion::of_word("other", "x").ok(), Some(None));
    }
}
