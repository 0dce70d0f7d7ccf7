//! The events of a call of a recorded run, in their order; calls that it makes as one each.

use super::calls::{CallShown, shown, shown_name};
use super::contents::change;
use super::error::InspectError;
use super::recording::Recording;
use crate::trace::{Calls, EventPosition, Level, Traced, TracedEvent, Value, WalkControl};
use serde::Serialize;

/// The events of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventsShown {
    /// The name of its thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// The file of its source, if that is known.
    pub source: Option<String>,
    /// Its events.
    pub events: Vec<EventShown>,
    /// Whether there are more.
    pub more: bool,
    /// How much was recorded of the call.
    pub level: Level,
    /// What is missing of the run that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// An event.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EventShown {
    /// What happens: `call`, `field`, `element`, `array`, `local`, `line`, `branch`, `lock`, `unlock`,
    /// `catch`, `contents`, `start`.
    pub event: &'static str,
    /// The line of the source that it is in, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The line at which the statement begins that writes a value, if `line` is another one: that of the arm
    /// of a `switch` expression, a `?:`, `&&` or `||` that ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement: Option<u16>,
    /// The lines of the arms, where it was not recorded which of them ran; `line` is that of the statement
    /// then.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u16>,
    /// The index in the method's code; none of a call.
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
    /// Of an element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<i32>,
    /// Of a map: the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// All that a collection holds, or what follows of that: its elements, or the values of a map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<String>>,
    /// The keys of those values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keys: Option<Vec<String>>,
    /// What was there before, where that is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// What is there from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The method that has done it, where that is one which is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where a branch goes on: an index in the method's code, and its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    #[allow(missing_docs)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_line: Option<u16>,
    /// The call that is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Box<CallShown>>,
}

/// The events of a call, no more than so many, and whether there are more.
///
/// # Errors
/// The events cannot be read.
pub fn events_of(
    trace: &mut Recording,
    of: u32,
    limit: usize,
) -> Result<(Vec<EventShown>, bool), InspectError> {
    let Recording { calls, lines, .. } = trace;
    let mut found: Vec<Result<(EventShown, Option<EventPosition>), u32>> = Vec::new();
    let mut more = false;
    let Some(number) = calls.thread_number(of) else { return Ok((Vec::new(), false)) };
    calls.walk(number, Some(of), |calls, seen| {
        let is_here = seen.node == Some(of);
        let event = match (is_here, seen.site.what, seen.node) {
            (true, Traced::Enter | Traced::Return | Traced::Leave | Traced::Born, _) => {
                return WalkControl::Next;
            }
            (true, _, _) => Ok((event(calls, seen), seen.position())),
            (false, Traced::Enter, Some(node)) if seen.around == Some(of) => Err(node),
            (false, ..) => return WalkControl::SkipCall,
        };
        if found.len() >= limit {
            more = true;
            return WalkControl::Stop;
        }
        let is_call = event.is_err();
        found.push(event);
        if is_call { WalkControl::SkipCall } else { WalkControl::Next }
    })?;
    let mut events = Vec::new();
    for event in found {
        events.push(match event {
            Ok((mut event, at)) => {
                if let Some(at) = at {
                    lines.correct(calls, at, &mut event)?;
                }
                event
            }
            Err(node) => {
                let call = CallShown::of(calls, node)?;
                EventShown { event: "call", call: call.map(Box::new), ..EventShown::default() }
            }
        });
    }
    Ok((events, more))
}

/// An event other than those of calls.
pub(crate) fn event(calls: &Calls, seen: &TracedEvent<'_>) -> EventShown {
    let TracedEvent { site, values, .. } = seen;
    if let Some(told) = seen.collection_change() {
        return change(&told, &calls.objects);
    }
    let told = |at: usize| Some(shown(values.get(at)?, &calls.objects));
    let named = |at: usize| Some(shown_name(values.get(at)?, &calls.objects));
    let mut event = EventShown {
        event: site.what.word(),
        line: site.line,
        bci: Some(site.bci).filter(|_| !site.is_nowhere()),
        declared_by: site.written.as_ref().filter(|w| !w.class.is_empty()).map(|w| calls.sites.declares(w)),
        name: site.written.as_ref().map(|written| written.name.clone()),
        by: site.by.as_deref().map(str::to_owned),
        ..EventShown::default()
    };
    match site.what {
        Traced::Put => {
            (event.object, event.old, event.new) = (named(0), told(1), told(2));
        }
        Traced::Preset => {
            event.object = seen.node.and_then(|node| calls.born(node)).map(|this| calls.objects.name(this));
            event.new = told(0);
        }
        Traced::PutStatic => (event.old, event.new) = (told(0), told(1)),
        Traced::Element(_) => {
            event.object = named(0);
            event.index = values.get(1).and_then(index);
            (event.old, event.new) = if site.is_nowhere() { (None, told(2)) } else { (told(2), told(3)) };
        }
        Traced::Local { slot, .. } => {
            event.name = event.name.or_else(|| Some(format!("local variable {slot}")));
            event.new = told(0);
        }
        Traced::Branch(to) => (event.to, event.to_line) = (Some(to), site.to),
        Traced::Array | Traced::Lock | Traced::Unlock | Traced::Catch => event.object = told(0),
        Traced::Line(_)
        | Traced::Enter
        | Traced::Return
        | Traced::Leave
        | Traced::Born
        | Traced::Contents => {}
        Traced::Start => {
            event.object = named(0);
            event.name = values.first().and_then(|thread| calls.name_of_thread(thread));
        }
    }
    event
}

/// The number of an index.
pub(crate) fn index(value: &Value) -> Option<i32> {
    match value {
        Value::Int(index) => Some(*index),
        _ => None,
    }
}
