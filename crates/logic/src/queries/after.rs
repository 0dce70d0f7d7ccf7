//! What an event can have influenced inside its method: later calls, local variables, and the end of the
//! method (JavaTA §4.1).

use super::around::push_end;
use super::asked::{Asked, Choice, Query, Word};
use super::before::{push_calls, push_locals};
use crate::answer::Answer;
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::Source;
use trace::EventTime;

/// What follows an event in its method.
pub const AFTER: Query = Query {
    name: "after",
    about: "Later calls of the method around an event, its variables at its end, and how it ended",
    words: &[Word::new("EVENT", "the number of the event")],
    choices: &[Choice::All],
    example: "after 9",
    ask: after,
};

fn after(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let found = source.found(asked.id(0)?)?;
    let mut answer = Answer::default();
    let Some(node) = source.enclosing(&found.event) else {
        answer.notes.push("no recorded call encloses the event".to_owned());
        return Ok(answer);
    };
    let place = found.event.when.place_in_thread();
    // The first call of a class follows the event that lists its fields.
    let is_class = found.event.kind == Kind::MemberFields;
    let is_after = |source: &Source, call: u32| {
        let calls = &source.recording.calls;
        let entry = calls.time_of_entry(call).map(EventTime::place_in_thread);
        entry.is_some_and(|entry| entry > place || entry == place && is_class)
    };
    push_calls(source, node, asked, &mut answer, is_after)?;
    let end = source.recording.calls.time_of_end(node).unwrap_or(EventTime::END);
    let locals = source.locals(node, end)?;
    push_locals(source, node, locals, &mut answer);
    push_end(source, node, &mut answer)?;
    Ok(answer)
}
