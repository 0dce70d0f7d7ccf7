//! All instances of a class with their states (JavaTA §4.2).

use super::asked::{Asked, Choice, Query, Word};
use super::object::{needs_writes, time_after};
use super::state::push_state;
use super::subtypes::Subtypes;
use crate::answer::{Answer, AnswerRow};
use crate::error::LogicError;
use crate::names::java_name;
use crate::search::Source;
use trace::{CREATION, EventTime};

/// The instances of a class.
pub const INSTANCES: Query = Query {
    name: "instances",
    about: "The instances of a class and its subclasses, and their states after an event",
    words: &[Word::new("CLASS", "the class, or the end of its name")],
    choices: &[Choice::At],
    example: "instances Rec --at 83",
    ask: instances,
};

fn instances(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    needs_writes(source)?;
    let wanted = asked.word(0).unwrap_or_default();
    let when = time_after(source, asked.at)?;
    // As `instanceof` says, instances of subclasses are instances.
    let mut subtypes = Subtypes::of(wanted);
    let objects = &source.recording.calls.objects;
    let all: Vec<(u32, String)> =
        objects.all().map(|(object, class)| (object, java_name(class).into_owned())).collect();
    let all = all.into_iter().filter(|(_, class)| subtypes.include(source, class));
    let all: Vec<u32> = all.map(|(object, _)| object).collect();
    let mut answer = Answer { notes: subtypes.note().into_iter().collect(), ..Answer::default() };
    let mut count = 0;
    for object in all {
        if count >= asked.limit {
            answer.more = true;
            break;
        }
        if !exists(source, object, when)? {
            continue;
        }
        count += 1;
        answer.rows.push(AnswerRow::Heading { text: source.recording.calls.objects.name(object) });
        let mut rows = Vec::new();
        answer.more |= push_state(source, object, when, asked.limit, &mut rows)?;
        answer.rows.append(&mut rows);
    }
    if answer.rows.is_empty() {
        answer.notes.push(format!("no recorded object was an instance of {wanted} at that event"));
    }
    Ok(answer)
}

/// Whether an object was made before a time, as far as that was recorded.
fn exists(source: &Source, object: u32, when: EventTime) -> Result<bool, LogicError> {
    let calls = &source.recording.calls;
    let made = calls.write_rows(object, CREATION)?;
    Ok(made.is_empty() || calls.row_from(&made, when) > made.start)
}
