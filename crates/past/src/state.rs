//! An object when a recorded call began and when it ended.

use super::call::CallShown;
use super::contents::ContentsShown;
use super::error::PastError;
use super::event::{EventShown, event};
use super::fields::Fields;
use super::heap::{Held, ObjectPart, held};
use super::object_names::{check_object, number};
use super::recording::Recording;
use super::values::shown;
use serde::Serialize;
use std::ops::Range;
use trace::{Calls, EventPosition, EventTime, Exit, Level, Value, WalkControl, Writes};

/// An object at the beginning and end of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateShown {
    /// The call.
    pub call: CallShown,
    /// The object.
    pub object: String,
    /// Whether the call has ended. Otherwise the end of the recording counts as its end.
    pub ended: bool,
    /// Its fields or elements.
    pub parts: Vec<PartShown>,
    /// Its contents, if it is a JDK collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<ContentsShown>,
    /// Whether there are more parts.
    pub more: bool,
    /// What the recording lacks that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A field or an element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PartShown {
    /// The field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The class that declares it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_by: Option<String>,
    /// The index of an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// Its value when the call began; `None` if unknown.
    pub entry: Option<String>,
    /// Its value when the call ended.
    pub exit: Option<String>,
    /// Number of writes in between.
    pub writes: usize,
    /// The contents of the collection to which it refers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contents: Option<ContentsShown>,
    /// Whether unrecorded code also wrote it before the call began or ended, so that its value at that time
    /// may differ.
    pub unrecorded: bool,
}

/// Which state to display.
#[derive(Clone, Debug, Default)]
pub struct StateRequest {
    /// The call at whose beginning and end the object is displayed.
    pub node: u32,
    /// The object as displayed; `None` for the call's `this`.
    pub object: Option<String>,
    /// Maximum number of fields or elements.
    pub limit: usize,
}

/// Displays an object at the beginning and end of a call.
///
/// # Errors
/// Writes were not recorded, the call or object does not exist, or the recording cannot be read.
pub fn state(trace: &mut Recording, asked: &StateRequest) -> Result<StateShown, PastError> {
    let calls = &mut trace.calls;
    let node = calls.own(asked.node);
    if trace.about.level < Level::Writes {
        return Err(PastError::NoWrites);
    }
    let no_such = PastError::NoSuchCall { node: asked.node, calls: calls.count() };
    let Some(call) = calls.call(node)? else { return Err(no_such) };
    let object = asked_object(calls, asked, call.this)?;
    let (begins, ends) = calls.span(node)?;
    let around = begins..ends;
    let (mut parts, mut is_whole) = written_parts(calls, object, &around, asked.limit)?;
    if is_whole {
        let limit = asked.limit - parts.len();
        let unwritten;
        (unwritten, is_whole) = unwritten_parts(calls, &mut trace.code.fields, object, &around, limit)?;
        parts.extend(unwritten);
    }
    let contents = ContentsShown::between(calls, object, object, around, asked.limit)?;
    parts.sort_by(|a, b| (&a.declared_by, &a.name, a.index).cmp(&(&b.declared_by, &b.name, b.index)));
    let ended = matches!(call.exit, Exit::Returned | Exit::Threw);
    let name = calls.objects.name(object);
    let Some(call) = CallShown::of(calls, node)? else { return Err(no_such) };
    let more = !is_whole;
    Ok(StateShown { call, object: name, ended, parts, contents, more, missing: trace.missing_until(node) })
}

/// The object asked for, or else the call's `this`.
fn asked_object(calls: &Calls, asked: &StateRequest, this: Option<u32>) -> Result<u32, PastError> {
    let object = match &asked.object {
        Some(text) => match number(text) {
            Some(number) => {
                check_object(calls, number, text.rsplit_once('@').map_or("", |(class, _)| class))?;
                let object = calls.objects.own(number);
                Some(object).filter(|object| calls.objects.class(*object).is_some())
            }
            None => None,
        },
        None => this.filter(|this| *this != 0),
    };
    object.ok_or(PastError::NoObject(asked.node))
}

/// The fields or elements of an object that were ever written, at the beginning and end of a time: at most
/// `limit`, and whether these are all.
fn written_parts(
    calls: &mut Calls,
    object: u32,
    around: &Range<EventTime>,
    limit: usize,
) -> Result<(Vec<PartShown>, bool), PastError> {
    let mut parts = Vec::new();
    let mut next = calls.part_from(object, 0)?;
    while let Some(part) = next.filter(|_| parts.len() < limit) {
        let rows = calls.write_rows(object, part)?;
        let entry = NearestWrites::of(calls, &rows, around.start)?;
        let exit = NearestWrites::of(calls, &rows, around.end)?;
        let (old, new) = (refers_to(entry.value), refers_to(exit.value));
        let contents = ContentsShown::between(calls, old, new, around.clone(), limit)?;
        let any = [&entry.last, &entry.next, &exit.last].into_iter().flatten().next();
        parts.extend(any.map(|any| PartShown {
            name: any.name.clone(),
            declared_by: any.declared_by.clone(),
            index: any.index,
            entry: entry.held(),
            exit: exit.held(),
            writes: exit.before.saturating_sub(entry.before),
            unrecorded: entry.is_unsure() || exit.is_unsure(),
            contents,
        }));
        next = calls.part_from(object, part.saturating_add(1))?;
    }
    Ok((parts, next.is_none()))
}

/// The fields or elements of an object that nothing ever writes, at the beginning and end of a time: at most
/// `limit`, and whether these are all.
fn unwritten_parts(
    calls: &mut Calls,
    fields: &mut Fields,
    object: u32,
    around: &Range<EventTime>,
    limit: usize,
) -> Result<(Vec<PartShown>, bool), PastError> {
    let mut parts = Vec::new();
    let (never_written, is_whole) = unwritten(calls, fields, object, limit)?;
    for Unwritten { part, declared_by } in never_written {
        let [entry, exit] = [around.start, around.end].map(|when| held(calls, object, &part, when));
        let text = |held: Held| held.value().map(|value| shown(&value, &calls.objects));
        parts.push(PartShown {
            index: part.part.filter(|_| part.name.is_none()).map(u32::cast_signed),
            name: part.name,
            declared_by,
            entry: text(entry?),
            exit: text(exit?),
            writes: 0,
            contents: None,
            unrecorded: false,
        });
    }
    Ok((parts, is_whole))
}

/// A field or element that nothing ever writes.
struct Unwritten {
    part: ObjectPart,
    /// The class that declares the field.
    declared_by: Option<String>,
}

/// The fields or elements of an object that nothing ever writes: at most `limit`, and whether these are all.
fn unwritten(
    calls: &mut Calls,
    fields: &mut Fields,
    object: u32,
    limit: usize,
) -> Result<(Vec<Unwritten>, bool), PastError> {
    let Some(class) = calls.objects.class(object).cloned() else { return Ok((Vec::new(), true)) };
    let was_made = calls.was_made(object)?;
    let mut found = Vec::new();
    if let Some(length) = calls.objects.length_of(object) {
        for index in 0..length {
            if calls.is_ever_written(object, index)? {
                continue;
            }
            if found.len() >= limit {
                return Ok((found, false));
            }
            found
                .push(Unwritten { part: ObjectPart::of_element(&class, index, was_made), declared_by: None });
        }
        return Ok((found, true));
    }
    for field in &fields.of(&class, calls).fields {
        let is_written = match field.part {
            Some(part) => calls.is_ever_written(object, part)?,
            None => false,
        };
        if is_written {
            continue;
        }
        if found.len() >= limit {
            return Ok((found, false));
        }
        let part = ObjectPart::of_field(field, was_made);
        found.push(Unwritten { part, declared_by: Some(field.class.clone()) });
    }
    Ok((found, true))
}

/// The object that a value refers to; 0 for none.
fn refers_to(value: Option<Value>) -> u32 {
    match value {
        Some(Value::Object(object)) => object,
        _ => 0,
    }
}

/// The writes to a part around a given time.
#[derive(Default)]
pub struct NearestWrites {
    /// The last write before.
    pub last: Option<EventShown>,
    /// The first write from then on.
    pub next: Option<EventShown>,
    /// Number of writes before.
    before: usize,
    /// The value written by the last write before, or found by the first write after.
    pub value: Option<Value>,
    /// The position of the last write.
    pub last_at: Option<EventPosition>,
}

impl NearestWrites {
    /// The writes of these rows that are nearest to a time.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn of(calls: &mut Calls, rows: &Range<usize>, when: EventTime) -> Result<NearestWrites, PastError> {
        let low = calls.row_from(rows, when);
        let count = |writes: Writes| usize::try_from(writes.count).unwrap_or(usize::MAX);
        let mut around = NearestWrites::default();
        // The last row that begins earlier can also contain later writes.
        if let Some(row) = low.checked_sub(1).filter(|row| rows.contains(row)) {
            around.before = (rows.start..row).map(|row| count(calls.writes_in(row))).sum();
            calls.each_write(calls.writes_in(row), |calls, seen| {
                if seen.when() < when {
                    around.last = Some(event(calls, seen));
                    around.value = seen.values.last().copied();
                    around.last_at = seen.position();
                    around.before += 1;
                    WalkControl::Next
                } else {
                    around.next = Some(event(calls, seen));
                    WalkControl::Stop
                }
            })?;
        }
        if around.next.is_none() && rows.contains(&low) {
            calls.each_write(calls.writes_in(low), |calls, seen| {
                around.next = Some(event(calls, seen));
                if around.last.is_none() {
                    around.value = seen.found();
                }
                WalkControl::Stop
            })?;
        }
        Ok(around)
    }

    /// The displayed value at that time: written by the last write before, or found by the first write after.
    pub fn held(&self) -> Option<String> {
        match (&self.last, &self.next) {
            (Some(last), _) => last.new.clone(),
            (None, next) => next.as_ref()?.old.clone(),
        }
    }

    /// Whether unrecorded code has written in between.
    fn is_unsure(&self) -> bool {
        match (&self.last, &self.next) {
            (Some(last), Some(next)) => next.old.is_some() && last.new != next.old,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_is_what_was_written_before_or_found_after() {
        let write = |old: &str, new: &str| {
            Some(EventShown { old: Some(old.to_owned()), new: Some(new.to_owned()), ..EventShown::default() })
        };
        let held = |last, next| {
            let around = NearestWrites { last, next, ..NearestWrites::default() };
            (around.held(), around.is_unsure())
        };
        assert_eq!(held(None, write("0", "1")), (Some("0".to_owned()), false));
        assert_eq!(held(write("0", "1"), write("1", "2")), (Some("1".to_owned()), false));
        assert_eq!(held(write("0", "1"), write("5", "2")), (Some("1".to_owned()), true));
        assert_eq!(held(write("1", "2"), None), (Some("2".to_owned()), false));
        assert_eq!(held(None, None), (None, false));
    }
}
