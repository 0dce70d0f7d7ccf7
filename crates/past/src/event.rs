//! The display form of a recorded event.

use super::call::CallShown;
use super::error::PastError;
use super::values::{shown, shown_item, shown_name};
use model::quoted;
use serde::Serialize;
use trace::{
    Calls, Change, CollectionChange, EventPosition, Objects, TextChange, TextEffect, Traced, TracedEvent,
    Value,
};

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EventShown {
    /// The kind of event: `call`, `field`, `element`, `array`, `local`, `line`, `branch`, `lock`, `unlock`,
    /// `catch`, `contents`, `start`, `text`, `throw`, `raised`.
    pub event: &'static str,
    /// Its source line, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The first line of the statement that writes a value, if `line` is another line. `line` is then that of
    /// the executed arm of a `switch` expression, `?:`, `&&` or `||`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<u16>,
    /// The lines of the arms, if the executed arm was not recorded; `line` is then that of the statement.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u16>,
    /// The bytecode index in the method; `None` for a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bci: Option<u32>,
    /// The object or array.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The field or local variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The class that declares the field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared_by: Option<String>,
    /// The index of an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// The key of a map entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Contents of a collection, or a continuation of them: its elements, or the values of a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<String>>,
    /// The keys of these values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// The standard stream on which a text was printed: `System.out` or `System.err`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<&'static str>,
    /// Number of characters (or bytes) that a change of a text removed; `index` is their position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<usize>,
    /// Number of characters (or bytes) that it inserted or printed; `new` may have only the first ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inserted: Option<usize>,
    /// The value before, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The unrecorded method that caused the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The instruction at which a branch continues, as a bytecode index, and its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    #[allow(missing_docs)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_line: Option<u16>,
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Box<CallShown>>,
}

/// Converts an event; not for events of calls.
pub fn event(calls: &Calls, seen: &TracedEvent<'_>) -> EventShown {
    let TracedEvent { site, values, .. } = seen;
    if let Some(change) = seen.collection_change() {
        return change_event(&change, &calls.objects);
    }
    if let Some(change) = seen.text_change() {
        return text_event(&change, &calls.objects);
    }
    let value = |at: usize| Some(shown(values.get(at)?, &calls.objects));
    let named = |at: usize| Some(shown_name(values.get(at)?, &calls.objects));
    let mut event = EventShown {
        event: site.what.word(),
        line: seen.line(),
        bci: Some(site.bci).filter(|_| !site.is_nowhere()),
        declared_by: site.written.as_ref().filter(|w| !w.class.is_empty()).map(|w| calls.sites.declares(w)),
        name: site.written.as_ref().map(|written| written.name.clone()),
        by: site.by.as_deref().map(str::to_owned),
        ..EventShown::default()
    };
    match site.what {
        Traced::Put => {
            (event.object, event.old, event.new) = (named(0), value(1), value(2));
        }
        Traced::Preset => {
            event.object = seen.node.and_then(|node| calls.born(node)).map(|this| calls.objects.name(this));
            event.new = value(0);
        }
        Traced::PutStatic => (event.old, event.new) = (value(0), value(1)),
        Traced::Element(_) => {
            event.object = named(0);
            event.index = values.get(1).and_then(index);
            (event.old, event.new) = if site.is_nowhere() { (None, value(2)) } else { (value(2), value(3)) };
        }
        Traced::Local { slot, .. } => {
            event.name = event.name.or_else(|| Some(format!("local variable {slot}")));
            event.new = value(0);
        }
        Traced::Branch(to) => (event.to, event.to_line) = (Some(to), site.to),
        Traced::Array | Traced::Lock | Traced::Unlock | Traced::Throw | Traced::Raised | Traced::Catch => {
            event.object = value(0)
        }
        Traced::Line(_)
        | Traced::Enter
        | Traced::Return
        | Traced::Leave
        | Traced::Born
        | Traced::Contents
        | Traced::Text => {}
        Traced::Start => {
            event.object = named(0);
            event.name = values.first().and_then(|thread| calls.name_of_thread(thread));
        }
    }
    event
}

/// Adds the line to a change of a collection or a text: that of the call that made it.
///
/// # Errors
/// The events cannot be read.
pub fn add_line(calls: &mut Calls, at: EventPosition, event: &mut EventShown) -> Result<(), PastError> {
    if event.line.is_none() && matches!(event.event, "contents" | "text") {
        event.line = calls.called_from(at)?;
    }
    Ok(())
}

/// Converts a change of a collection.
fn change_event(change: &CollectionChange<'_>, objects: &Objects) -> EventShown {
    let text = |at: usize| change.rest.get(at).map(|value| shown_item(value, objects));
    let object = (change.collection != 0).then(|| objects.name(change.collection));
    let mut event = EventShown {
        event: "contents",
        object,
        name: Some(change.change.word().to_owned()),
        ..EventShown::default()
    };
    match change.change {
        Change::AllOfList | Change::AllOfMap => {
            let all: Vec<String> = (2..change.rest.len()).filter_map(text).collect();
            event.index = change.rest.first().and_then(index);
            (event.items, event.keys) = match change.change {
                Change::AllOfList => (Some(all), None),
                _ => {
                    let pairs = all.as_chunks::<2>().0.iter().map(|[key, of]| (of.clone(), key.clone()));
                    let (values, keys) = pairs.unzip();
                    (Some(values), Some(keys))
                }
            };
        }
        Change::Clear => {}
        Change::Insert | Change::Set => {
            event.index = change.rest.first().and_then(index);
            event.new = text(1);
        }
        Change::Remove => event.index = change.rest.first().and_then(index),
        Change::Take => event.old = text(0),
        Change::Put | Change::PutBehind | Change::PutLast | Change::Doubt => {
            (event.key, event.new) = (text(0), text(1));
        }
        Change::Unput => event.key = text(0),
        Change::Backed => event.new = text(0),
    }
    event
}

/// Converts a change of a text.
fn text_event(change: &TextChange<'_>, objects: &Objects) -> EventShown {
    let mut event = EventShown {
        event: Traced::Text.word(),
        object: Some(objects.name(change.object)),
        name: Some(change.effect.word().to_owned()),
        stream: change.stream,
        ..EventShown::default()
    };
    let more = if change.is_whole() { "" } else { "…" };
    let inserted = format!("{}{more}", quoted(&change.text(), '"'));
    match change.effect {
        TextEffect::SameAs => event.new = Some(objects.name(change.same_as)),
        TextEffect::Whole | TextEffect::Print => {
            (event.inserted, event.new) = (Some(change.inserted), Some(inserted));
        }
        TextEffect::Edit => {
            event.index = i32::try_from(change.from).ok();
            (event.removed, event.inserted) = (Some(change.removed), Some(change.inserted));
            event.new = Some(inserted);
        }
    }
    event
}

/// The number of an index.
fn index(value: &Value) -> Option<i32> {
    match value {
        Value::Int(index) => Some(*index),
        _ => None,
    }
}
