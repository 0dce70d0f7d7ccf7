//! What can have influenced an event inside its method: arguments, results of earlier calls, and local
//! variables (JavaTA §4.1, Figure 7).

use super::around::push_end;
use super::asked::{Asked, Choice, Query, Word};
use crate::answer::{Answer, AnswerRow, ValueRow};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::Source;
use past::values::shown;
use trace::{EventTime, Level, Value};

/// What precedes an event in its method.
pub const BEFORE: Query = Query {
    name: "before",
    about: "Arguments of the method around an event, its earlier calls with their ends, and its variables",
    words: &[Word::new("EVENT", "the number of the event")],
    choices: &[Choice::All],
    example: "before 13",
    ask: before,
};

fn before(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let found = source.found(asked.id(0)?)?;
    let mut answer = Answer::default();
    let Some(node) = source.enclosing(&found.event) else {
        answer.notes.push("no recorded call encloses the event".to_owned());
        return Ok(answer);
    };
    if let Some(entry) = source.entry_of(node)? {
        answer.rows.push(AnswerRow::Event(Box::new(source.row(&entry)?)));
    }
    let place = found.event.when.place_in_thread();
    // Calls that the call around an event began before it have ended, except the call that an exit ends.
    let exits = found.event.call().filter(|_| found.event.kind == Kind::MethodExit);
    let is_before = |source: &Source, call: u32| {
        let entry = source.recording.calls.time_of_entry(call).map(EventTime::place_in_thread);
        entry.is_some_and(|entry| entry < place) && Some(call) != exits
    };
    push_calls(source, node, asked, &mut answer, is_before)?;
    if found.event.call().is_some() {
        let locals = source.locals_at(node, &found.event)?;
        push_locals(source, node, locals, &mut answer);
    }
    Ok(answer)
}

/// Adds the calls that a call made, as far as they fit: the direct ones, or all.
pub(super) fn push_calls(
    source: &mut Source,
    node: u32,
    asked: &Asked,
    answer: &mut Answer,
    fits: impl Fn(&Source, u32) -> bool,
) -> Result<(), LogicError> {
    let calls = &source.recording.calls;
    let last = node.saturating_add(calls.below(node));
    let all = match asked.all {
        true => (node.saturating_add(1)..=last).collect(),
        false => calls.children(node),
    };
    for call in all.into_iter().filter(|call| fits(source, *call)).collect::<Vec<_>>() {
        if answer.rows.len() >= asked.limit {
            answer.more = true;
            return Ok(());
        }
        if let Some(entry) = source.entry_of(call)? {
            let mut row = source.row(&entry)?;
            row.depth = 1;
            answer.rows.push(AnswerRow::Event(Box::new(row)));
        }
        let at = answer.rows.len();
        push_end(source, call, answer)?;
        for row in answer.rows.iter_mut().skip(at) {
            if let AnswerRow::Event(row) = row {
                row.depth = 1;
            }
        }
    }
    Ok(())
}

/// Adds the variables of a call.
pub(super) fn push_locals(source: &mut Source, node: u32, locals: Vec<(String, Value)>, answer: &mut Answer) {
    let calls = &source.recording.calls;
    let has_locals = calls.method(node).is_some_and(|method| method.level == Level::All);
    if !has_locals {
        let level = source.recording.about.level;
        answer.notes.push(format!("local variables were not recorded at level {level}"));
    }
    for (name, value) in locals {
        let value = Some(shown(&value, &calls.objects));
        answer.rows.push(AnswerRow::Value(ValueRow { name, value, ..ValueRow::default() }));
    }
}
