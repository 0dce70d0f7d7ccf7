//! The state of an object at a time: its fields, those of its superclasses, its elements or its contents.

use crate::inspect::snapshot::{ObjectPart, held};
use crate::inspect::values::{shown, shown_item};
use crate::logic::answer::{AnswerRow, ValueRow};
use crate::logic::error::LogicError;
use crate::logic::log::Kind;
use crate::logic::search::Source;
use crate::trace::{Calls, EventTime, HeldValue, Items, Value, WalkControl, shown_class};

/// A last write: the thread and time, and the value.
type LastWrite = Option<((u32, EventTime), Value)>;

/// The rows for the state of an object before a time; at most `limit`. Returns whether there are more.
pub(super) fn push_state(
    source: &mut Source<'_>,
    object: u32,
    when: EventTime,
    limit: usize,
    rows: &mut Vec<AnswerRow>,
) -> Result<bool, LogicError> {
    let calls = &mut source.recording.calls;
    let name = calls.objects.name(object);
    if calls.objects.is_array(object) {
        return push_elements(source, object, (&name, when), limit, rows);
    }
    if let Some(contents) = calls.contents(object, when)? {
        let objects = &calls.objects;
        let value = |value: &Value| Some(shown_item(value, objects));
        let row = |name: String, value: Option<String>| {
            AnswerRow::Value(ValueRow { name, value, ..ValueRow::default() })
        };
        let count = contents.items.len();
        match contents.items {
            Items::Elements(all) => rows.extend(
                all.iter()
                    .take(limit)
                    .enumerate()
                    .map(|(at, item)| row(format!("{name}[{at}]"), item.as_ref().and_then(value))),
            ),
            Items::Pairs(all) => rows.extend(
                all.iter()
                    .take(limit)
                    .map(|(key, item)| row(format!("{name}[{}]", shown_item(key, objects)), value(item))),
            ),
        }
        return Ok(count > limit);
    }
    let mut more = false;
    for (class, field, is_static) in fields_of(calls, object) {
        if rows.len() >= limit {
            more = true;
            break;
        }
        let row = field_row(source, (object, &name), (&class, &field, is_static), when)?;
        rows.push(AnswerRow::Value(row));
    }
    Ok(more)
}

/// The fields that the recorded classes of an object declare, those of the topmost class first: the class,
/// the name, and whether it is static.
fn fields_of(calls: &Calls, object: u32) -> Vec<(String, String, bool)> {
    let mut fields: Vec<(String, String, bool)> = Vec::new();
    let mut class = calls.objects.class(object).map(|class| class.to_string());
    // A damaged file can hold a cycle.
    let mut left = 64;
    while let Some(name) = class.filter(|_| left > 0) {
        left -= 1;
        let own = calls.sites.fields(&name).into_iter();
        let own: Vec<_> = own.map(|(field, is_static)| (name.clone(), field, is_static)).collect();
        fields.splice(0..0, own);
        class = calls.sites.superclass(&name).map(str::to_owned);
    }
    fields
}

fn field_row(
    source: &mut Source<'_>,
    (object, name): (u32, &str),
    (class, field, is_static): (&str, &str, bool),
    when: EventTime,
) -> Result<ValueRow, LogicError> {
    let calls = &mut source.recording.calls;
    let (owner, of) = if is_static { (0, shown_class(class)) } else { (object, name.to_owned()) };
    let mut row = ValueRow { name: format!("{of}.{field}"), ..ValueRow::default() };
    let part = (0..).zip(calls.fields()).find(|(_, (of, name))| of == class && name == field);
    let part = part.map(|(part, _)| part);
    if let Some(part) = part
        && let Some(((thread, wrote), value)) = last_write(calls, owner, part, when)?
    {
        row.value = Some(shown(&value, &calls.objects));
        row.event = source.log.id_of(&mut source.recording.calls, thread, wrote, Kind::SetField)?;
        return Ok(row);
    }
    let held = match part {
        Some(part) => calls.held(owner, part, when)?,
        None => HeldValue::Unwritten,
    };
    match held {
        HeldValue::Value(value) => row.value = Some(shown(&value, &calls.objects)),
        HeldValue::Unwritten if is_static || calls.was_made(object) => {
            row.is_default = true;
            row.value = calls.sites.default_of(class, field).map(|value| shown(&value, &calls.objects));
        }
        HeldValue::Unwritten | HeldValue::Unknown => {}
    }
    Ok(row)
}

fn push_elements(
    source: &mut Source<'_>,
    array: u32,
    (name, when): (&str, EventTime),
    limit: usize,
    rows: &mut Vec<AnswerRow>,
) -> Result<bool, LogicError> {
    let calls = &mut source.recording.calls;
    let length = calls.objects.length_of(array).unwrap_or(0);
    let class = calls.objects.class(array).cloned().unwrap_or_default();
    let was_made = calls.was_made(array);
    let listed = length.min(u32::try_from(limit).unwrap_or(u32::MAX));
    for index in 0..listed {
        let part = ObjectPart::of_element(&class, index, was_made);
        let value = held(calls, array, &part, when)?;
        let is_default = last_write(calls, array, index, when)?.is_none() && was_made;
        rows.push(AnswerRow::Value(ValueRow {
            name: format!("{name}[{index}]"),
            value: value.map(|value| shown(&value, &calls.objects)),
            is_default,
            event: None,
        }));
    }
    Ok(listed < length)
}

/// The last write to a part of an object before a time.
pub(super) fn last_write(
    calls: &mut Calls,
    object: u32,
    part: u32,
    when: EventTime,
) -> Result<LastWrite, LogicError> {
    let rows = calls.write_rows(object, part);
    let behind = calls.row_from(&rows, when);
    let Some(row) = behind.checked_sub(1).filter(|row| rows.contains(row)) else { return Ok(None) };
    let mut last = None;
    calls.each_write(calls.writes_in(row), |calls, seen| {
        if seen.when() >= when {
            return WalkControl::Stop;
        }
        let thread = seen.node.and_then(|node| calls.thread_number(node));
        if let (Some(thread), Some(value)) = (thread, seen.values.last()) {
            last = Some(((thread, seen.when()), *value));
        }
        WalkControl::Next
    })?;
    Ok(last)
}
