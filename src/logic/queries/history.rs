//! The history of a field, element, local variable, or of the contents of an array or collection (JavaTA
//! §4.2, Figure 8).

use super::asked::{Asked, Choice, Query, Word};
use super::events::listed;
use super::names;
use super::object::needs_writes;
use crate::inspect::history::Variable;
use crate::inspect::values::{shown, shown_item};
use crate::logic::answer::{Answer, AnswerRow, ValueRow};
use crate::logic::error::LogicError;
use crate::logic::log::Kind;
use crate::logic::search::{Owner, Pattern, Source};
use crate::trace::{CONTENTS, EventTime, Items, Level, TEXT, Traced, Value, WalkControl};
use std::ops::Range;

/// Most elements of a collection that a row lists.
const LISTED: usize = 20;

/// The history of a variable.
pub const HISTORY: Query = Query {
    name: "history",
    about: "The values of a field, element, local variable or collection, one after another",
    words: &[Word::new(
        "VARIABLE",
        "`Rec@43.bar`, `com.acme.Shop.open` (static), `int[]@9[3]`, `ArrayList@5`, or `Shop.pay:sum` (local)",
    )],
    choices: &[Choice::Thread, Choice::Range, Choice::Value],
    example: "history Rec@43.bar --from 10 --to 900",
    ask: history,
};

fn history(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let text = asked.word(0).unwrap_or_default();
    if let Some((method, local)) = text.rsplit_once(':') {
        return local_history(source, asked, method, local);
    }
    needs_writes(source)?;
    let pattern = Pattern { value: asked.wanted(), ..asked.pattern(&[Kind::SetField]) };
    match Variable::parse(text)? {
        Variable::Field(_, field) => {
            let (owner, _) = text.split_once('.').unwrap_or((text, ""));
            let object = names::object(owner, &source.recording.calls)?;
            let number = Some(source.recording.calls.objects.number(object));
            let (declared_by, name) = match field.rsplit_once('.') {
                Some((class, name)) => (Some(class.to_owned()), name.to_owned()),
                None => (None, field),
            };
            let owner = Owner::Object { class: None, number };
            listed(source, asked, Pattern { owner, name: Some(name), declared_by, ..pattern })
        }
        Variable::Static(field) => {
            let (class, name) = field.rsplit_once('.').unwrap_or(("", &field));
            let (declared_by, name) = (Some(class.to_owned()), Some(name.to_owned()));
            listed(source, asked, Pattern { owner: Owner::Class(None), name, declared_by, ..pattern })
        }
        Variable::Element(_, index) => {
            let (array, _) = text
                .split_once('[')
                .filter(|_| !text.contains("[]"))
                .unwrap_or_else(|| text.rsplit_once('[').unwrap_or((text, "")));
            let object = names::object(array, &source.recording.calls)?;
            part_history(source, asked, (object, text), index.cast_unsigned())
        }
        Variable::Contents(_) => {
            let object = names::object(text, &source.recording.calls)?;
            let calls = &mut source.recording.calls;
            if calls.objects.is_array(object) {
                return array_history(source, asked, (object, text));
            }
            let object = calls.text_owner(object)?;
            let part = if calls.write_rows(object, CONTENTS).is_empty() { TEXT } else { CONTENTS };
            part_history(source, asked, (object, text), part)
        }
    }
}

/// The ids in question, as the times before and after the events.
fn times(source: &mut Source, asked: &Asked) -> Result<Range<EventTime>, LogicError> {
    let from = match asked.from {
        Some(id) => source.found(id)?.event.when,
        None => EventTime::BEGIN,
    };
    Ok(from..super::object::time_after(source, asked.to)?)
}

/// The writes to one part of an object.
fn part_history(
    source: &mut Source,
    asked: &Asked,
    (object, name): (u32, &str),
    part: u32,
) -> Result<Answer, LogicError> {
    let range = times(source, asked)?;
    let calls = &mut source.recording.calls;
    let mut writes: Vec<(Option<u32>, EventTime, Option<Value>)> = Vec::new();
    for row in calls.write_rows(object, part) {
        calls.each_write(calls.writes_in(row), |calls, seen| {
            if range.contains(&seen.when()) {
                let thread = calls.thread_at(seen.when());
                writes.push((thread, seen.when(), seen.values.last().copied()));
            }
            WalkControl::Next
        })?;
    }
    let mut answer = Answer { more: writes.len() > asked.limit, ..Answer::default() };
    for (thread, when, value) in writes.into_iter().take(asked.limit) {
        let value = match part {
            CONTENTS => contents_after(source, object, when)?,
            TEXT => {
                let held = source.recording.calls.text(object, when.after())?;
                held.map(|held| crate::model::quoted(&crate::inspect::text::end(&held), '"'))
            }
            _ => value.map(|value| shown(&value, &source.recording.calls.objects)),
        };
        let event = match thread {
            Some(thread) => source.event_before(thread, when)?,
            None => None,
        };
        let row = ValueRow { name: name.to_owned(), value, event, is_default: false };
        answer.rows.push(AnswerRow::Value(row));
    }
    Ok(answer)
}

/// The writes to all elements of an array, in order.
fn array_history(
    source: &mut Source,
    asked: &Asked,
    (array, name): (u32, &str),
) -> Result<Answer, LogicError> {
    let range = times(source, asked)?;
    let calls = &mut source.recording.calls;
    let mut writes: Vec<(EventTime, Option<u32>, u32, Option<Value>)> = Vec::new();
    let mut next = calls.part_from(array, 0);
    while let Some(index) = next {
        for row in calls.write_rows(array, index) {
            calls.each_write(calls.writes_in(row), |calls, seen| {
                if range.contains(&seen.when()) {
                    let thread = calls.thread_at(seen.when());
                    writes.push((seen.when(), thread, index, seen.values.last().copied()));
                }
                WalkControl::Next
            })?;
        }
        next = index.checked_add(1).and_then(|index| calls.part_from(array, index));
    }
    writes.sort_by_key(|(when, ..)| *when);
    let mut answer = Answer { more: writes.len() > asked.limit, ..Answer::default() };
    for (when, thread, index, value) in writes.into_iter().take(asked.limit) {
        let value = value.map(|value| shown(&value, &source.recording.calls.objects));
        let event = match thread {
            Some(thread) => source.event_before(thread, when)?,
            None => None,
        };
        let row = ValueRow { name: format!("{name}[{index}]"), value, event, is_default: false };
        answer.rows.push(AnswerRow::Value(row));
    }
    Ok(answer)
}

/// The contents of a collection after an event.
fn contents_after(
    source: &mut Source,
    collection: u32,
    when: EventTime,
) -> Result<Option<String>, LogicError> {
    let calls = &mut source.recording.calls;
    let Some(contents) = calls.contents(collection, when.after())? else { return Ok(None) };
    let (objects, count) = (&calls.objects, contents.items.len());
    let item = |value: &Value| shown_item(value, objects);
    let mut texts: Vec<String> = match contents.items {
        Items::Elements(all) => {
            all.iter().take(LISTED).map(|value| value.as_ref().map_or("?".to_owned(), item)).collect()
        }
        Items::Pairs(all) => {
            all.iter().take(LISTED).map(|(key, value)| format!("{}={}", item(key), item(value))).collect()
        }
    };
    if count > LISTED {
        texts.push(format!("… {count} in all"));
    }
    Ok(Some(format!("[{}]", texts.join(", "))))
}

/// The values of a local variable in all calls of a method.
fn local_history(
    source: &mut Source,
    asked: &Asked,
    method: &str,
    local: &str,
) -> Result<Answer, LogicError> {
    let level = source.recording.about.level;
    if level < Level::All {
        let (what, level) = ("local variables", level.to_string());
        return Err(LogicError::NotRecorded { what, level, needs: "all" });
    }
    let pattern = names::of_method(asked.pattern(&[Kind::MethodCall]), method, source)?;
    let range = times(source, asked)?;
    let mut candidates = crate::logic::search::Candidates::of(pattern, source)?;
    let mut answer = Answer::default();
    let wanted = asked.wanted();
    while let Some(found) = candidates.next(source)? {
        let Some(node) = found.event.call() else { continue };
        let calls = &mut source.recording.calls;
        let mut values: Vec<(EventTime, Value)> = Vec::new();
        let parameter = calls
            .method(node)
            .and_then(|of| of.parameters.iter().position(|name| name.as_deref() == Some(local)));
        let given = parameter.and_then(|at| found.block.values(&found.event).get(at + 1).copied());
        values.extend(given.map(|value| (found.event.when, value)));
        if let Some(entry) = calls.entry(node) {
            calls.events_after(entry, |_, seen| {
                let is_it = seen.site.written.as_ref().is_some_and(|written| written.name == local);
                if matches!(seen.site.what, Traced::Local { .. })
                    && is_it
                    && let Some(value) = seen.values.first()
                {
                    values.push((seen.when(), *value));
                }
                true
            })?;
        }
        let shown_node = calls.shown(node);
        for (when, value) in values.into_iter().filter(|(when, _)| range.contains(when)) {
            if wanted.as_ref().is_some_and(|wanted| !wanted.is(&value, &source.recording.calls.objects)) {
                continue;
            }
            if answer.rows.len() >= asked.limit {
                answer.more = true;
                return Ok(answer);
            }
            let event = source.event_before(found.block.thread, when)?;
            let value = Some(shown(&value, &source.recording.calls.objects));
            let name = format!("{local} in call #{shown_node}");
            answer.rows.push(AnswerRow::Value(ValueRow { name, value, event, is_default: false }));
        }
    }
    Ok(answer)
}
