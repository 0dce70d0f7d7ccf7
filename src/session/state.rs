//! An object as it was when a call of a recorded run was entered and when it ended.

use super::calls::CallShown;
use super::error::SessionError;
use super::events::{EventShown, event, index};
use super::record::RecordedTrace;
use crate::trace::{Calls, Exit, Level, Seen, Then, Traced, Value};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// An object at the beginning and the end of a call: all of it that is ever written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateShown {
    /// The call.
    pub call: CallShown,
    /// The object.
    pub object: String,
    /// Whether the call has ended: else what it has at the end of the recording stands for that.
    pub ended: bool,
    /// Its fields or elements.
    pub parts: Vec<PartShown>,
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
    /// Of an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// What it held as the call was entered; none where that is not known.
    pub entry: Option<String>,
    /// What it held as the call ended.
    pub exit: Option<String>,
    /// How often it was written between.
    pub writes: usize,
    /// Something that is not recorded has written it too: what it held then may be missing here.
    pub unrecorded: bool,
}

/// Where an event is in the order of all: the turn of its thread, and how many came before it in its thread.
type At = (u64, u64);

/// Shows an object as it was at the beginning and the end of a call; none: the call's `this`.
///
/// # Errors
/// The folder holds no recorded run, or one without writes, or not this call or object.
pub fn state(folder: &Path, node: u32, object: Option<&str>) -> Result<StateShown, SessionError> {
    let RecordedTrace { about, mut calls } = RecordedTrace::open(folder)?;
    if about.level < Level::Writes {
        return Err(SessionError::NoWrites);
    }
    let no_such = SessionError::NoSuchCall { node, calls: calls.count() };
    let Some(call) = calls.call(node)? else { return Err(no_such) };
    let object = match object {
        Some(text) => number(text).filter(|object| calls.objects.class(*object).is_some()),
        None => call.this.filter(|this| *this != 0),
    };
    let Some(object) = object else { return Err(SessionError::NoObject(node)) };
    let mut writes: Vec<(At, EventShown)> = Vec::new();
    let (mut entry, mut exit) = ((0, 0), (u64::MAX, u64::MAX));
    for (thread, _, _) in calls.threads() {
        let mut count = 0;
        calls.walk(thread, None, |calls, seen| {
            count += 1;
            let at = (seen.turn, count);
            match seen.site.what {
                Traced::Enter if seen.node == Some(node) => entry = at,
                Traced::Return | Traced::Leave if seen.node == Some(node) => exit = at,
                _ if is_of(calls, seen, object) => writes.push((at, event(calls, seen))),
                _ => {}
            }
            Then::Next
        })?;
    }
    writes.sort_by_key(|(at, _)| *at);
    let mut parts: BTreeMap<_, Vec<(At, EventShown)>> = BTreeMap::new();
    for (at, write) in writes {
        let key = (write.declared_by.clone(), write.name.clone(), write.index);
        parts.entry(key).or_default().push((at, write));
    }
    let part = |((declared_by, name, index), writes): (_, Vec<(At, EventShown)>)| PartShown {
        name,
        declared_by,
        index,
        entry: held(&writes, entry),
        exit: held(&writes, exit),
        writes: writes.iter().filter(|(at, _)| (entry..exit).contains(at)).count(),
        unrecorded: writes
            .iter()
            .zip(writes.iter().skip(1))
            .any(|((_, one), (_, next))| next.old.is_some() && one.new != next.old),
    };
    let parts = parts.into_iter().map(part).collect();
    let ended = matches!(call.exit, Exit::Returned | Exit::Threw);
    let shown = calls.objects.show(object);
    let Some(call) = CallShown::of(&mut calls, node)? else { return Err(no_such) };
    Ok(StateShown { call, object: shown, ended, parts })
}

/// What a field or element held at some time: what the last write before has written, or what the first one after has found.
fn held(writes: &[(At, EventShown)], when: At) -> Option<String> {
    let after = writes.partition_point(|(at, _)| *at < when);
    match after.checked_sub(1).and_then(|last| writes.get(last)) {
        Some((_, last)) => last.new.clone(),
        None => writes.get(after).and_then(|(_, first)| first.old.clone()),
    }
}

/// Whether an event writes a part of an object.
fn is_of(calls: &Calls, seen: &Seen<'_>, object: u32) -> bool {
    match seen.site.what {
        Traced::Put => seen.values.first() == Some(&Value::Object(object)),
        Traced::Element(_) => {
            seen.values.first() == Some(&Value::Object(object))
                && seen.values.get(1).and_then(index).is_some()
        }
        Traced::Preset => seen.node.and_then(|node| calls.born(node)) == Some(object),
        _ => false,
    }
}

/// `Rec@7`, `@7` or `7`.
fn number(text: &str) -> Option<u32> {
    text.rsplit_once('@').map_or(text, |(_, number)| number).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_is_what_was_written_before_or_found_after() {
        let write = |old: &str, new: &str| EventShown {
            old: Some(old.to_owned()),
            new: Some(new.to_owned()),
            ..EventShown::default()
        };
        let writes = [((1, 5), write("0", "1")), ((2, 3), write("1", "2"))];
        let at = |when| held(&writes, when);
        assert_eq!(at((1, 5)).as_deref(), Some("0"));
        assert_eq!(at((1, 6)).as_deref(), Some("1"));
        assert_eq!(at((2, 3)).as_deref(), Some("1"));
        assert_eq!(at((u64::MAX, 0)).as_deref(), Some("2"));
        assert_eq!(held(&[], (1, 1)), None);
    }

    #[test]
    fn objects_are_named_by_their_numbers() {
        assert_eq!(["Rec@7", "@7", "7"].map(number), [Some(7); 3]);
        assert_eq!([number("Rec"), number("@"), number("@x")], [None; 3]);
    }
}
