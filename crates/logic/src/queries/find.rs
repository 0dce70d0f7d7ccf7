//! Search by value: which call was given or returned it, where it was written, and where it came up first.

use super::asked::{Asked, Choice, Query};
use crate::answer::{Answer, EventRow};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{Candidates, Source};
use trace::Value;

/// Search by value.
pub const FIND: Query = Query {
    name: "find",
    about: "The events that name a value: as an argument, result, new value of a field or exception message",
    words: &[],
    choices: &[Choice::Thread, Choice::Range, Choice::Value, Choice::Part, Choice::Kinds],
    example: "find --value 4711",
    ask: find,
};

fn find(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let Some(wanted) = asked.wanted() else {
        return Err(LogicError::NotThis {
            given: "find".to_owned(),
            expected: "complete: add --value VALUE or --part TEXT".to_owned(),
        });
    };
    let all = [Kind::MethodCall, Kind::MethodExit, Kind::SetField, Kind::Exception];
    let kinds = if asked.kinds.is_empty() { &all[..] } else { asked.kinds.as_slice() };
    let mut candidates = Candidates::of(asked.pattern(kinds), source)?;
    let plan = vec![candidates.access().to_string()];
    let (mut rows, mut more): (Vec<EventRow>, bool) = (Vec::new(), false);
    while let Some(found) = candidates.next(source)? {
        let objects = &source.recording.calls.objects;
        let values = found.block.values(&found.event);
        // The owner of a field is no value that the event passes on.
        let has_owner = found.event.kind == Kind::SetField || values.first() == Some(&Value::Object(0));
        let skipped = usize::from(has_owner);
        let is_message = |value: &Value| match value {
            Value::Object(object) if found.event.kind == Kind::Exception => {
                objects.message(*object).is_some_and(|text| wanted.is_text(&text.begins))
            }
            _ => false,
        };
        if !values.iter().skip(skipped).any(|value| wanted.is(value, objects) || is_message(value)) {
            continue;
        }
        if rows.len() == asked.limit {
            more = true;
            break;
        }
        rows.push(source.row(&found)?);
    }
    Ok(Answer { plan, more, ..Answer::of_events(rows) })
}
