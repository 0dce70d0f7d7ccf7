//! The method around an event, with its normal or abnormal end.

use super::asked::{Asked, Query, Word};
use crate::answer::{Answer, AnswerRow};
use crate::error::LogicError;
use crate::search::{End, Source};

/// The method around an event.
pub const AROUND: Query = Query {
    name: "around",
    about: "The call that encloses an event, and how it ended",
    words: &[Word::new("EVENT", "the number of the event")],
    choices: &[],
    example: "around 15",
    ask: around,
};

fn around(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let found = source.found(asked.id(0)?)?;
    let Some(node) = source.enclosing(&found.event) else {
        let note = "no recorded call encloses the event".to_owned();
        return Ok(Answer { notes: vec![note], ..Answer::default() });
    };
    let mut answer = Answer::default();
    if let Some(entry) = source.entry_of(node)? {
        answer.rows.push(AnswerRow::Event(Box::new(source.row(&entry)?)));
    }
    push_end(source, node, &mut answer)?;
    Ok(answer)
}

/// Adds how a call ended.
pub(super) fn push_end(source: &mut Source, node: u32, answer: &mut Answer) -> Result<(), LogicError> {
    let note = match source.end_of(node)? {
        End::Returned(id) | End::Threw(Some(id)) => {
            answer.rows.push(AnswerRow::Event(Box::new(source.row_of(id)?)));
            return Ok(());
        }
        End::Threw(None) => "an exception left the call; where it was thrown was not recorded",
        End::Open => "the call had not ended when the recording ended",
        End::Unrecorded => "the end of the call was not recorded",
    };
    answer.notes.push(note.to_owned());
    Ok(())
}
