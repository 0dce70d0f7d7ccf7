//! The state of an object at an event (JavaTA §4.1, Figure 6).

use super::asked::{Asked, Choice, Query, Word};
use super::names;
use super::state::push_state;
use crate::answer::Answer;
use crate::error::LogicError;
use crate::search::Source;
use trace::{EventTime, Level};

/// The state of an object.
pub const OBJECT: Query = Query {
    name: "object",
    about: "The fields, elements or contents of an object after an event, with the events that set them",
    words: &[Word::new("OBJECT", "the object, as the log shows it: `Rec@43`")],
    choices: &[Choice::At],
    example: "object Rec@43 --at 83",
    ask: object,
};

fn object(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    needs_writes(source)?;
    let object = names::object(asked.word(0).unwrap_or_default(), &source.recording.calls)?;
    let when = time_after(source, asked.at)?;
    let mut answer = Answer::default();
    answer.more = push_state(source, object, when, asked.limit, &mut answer.rows)?;
    if answer.rows.is_empty() {
        answer.notes.push("no recorded class of the object declares fields".to_owned());
    }
    Ok(answer)
}

/// The time after an event; without one, after all events.
pub(super) fn time_after(source: &mut Source, id: Option<u64>) -> Result<EventTime, LogicError> {
    match id {
        Some(id) => Ok(source.found(id)?.event.when.after()),
        None => Ok(EventTime::END),
    }
}

/// # Errors
/// Writes were not recorded.
pub(super) fn needs_writes(source: &Source) -> Result<(), LogicError> {
    let level = source.recording.about.level;
    if level >= Level::Writes {
        return Ok(());
    }
    Err(LogicError::NotRecorded { what: "writes", level: level.to_string(), needs: "writes" })
}
