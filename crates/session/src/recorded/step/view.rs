//! What the stepper shows at an event: the call, the source, the variables, the neighbouring events, and the
//! writes to a local variable.

use super::objects::ObjectShown;
use super::variable::Variable;
use crate::error::SessionError;
use crate::recorded::{History, RecordedTrace, WriteShown};
use inspect::call::CallShown;
use inspect::event::{EventShown, event};
use inspect::state::NearestWrites;
use inspect::{InspectError, Recording};
use serde::Serialize;
use std::collections::VecDeque;
use trace::{Calls, EventPosition, Traced};

/// The current event and what is in scope there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// The name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// The event that happens next.
    pub event: EventShown,
    /// The source file, if known.
    pub source: Option<String>,
    /// Lines of the source around the event.
    pub lines: Vec<(u32, String)>,
    /// The variables of the call before the event.
    pub locals: Vec<LocalShown>,
    /// The object that the call was made on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<ObjectShown>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LocalShown {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Whether it is a parameter whose value differs from that at the entry of the call.
    pub changed: bool,
}

/// An event of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedEvent {
    /// The event.
    pub event: EventShown,
    /// Whether it is the current event.
    pub here: bool,
    /// Whether it writes the marked variable.
    pub changes: bool,
    /// Whether it is a call below which the marked variable is written.
    pub changes_below: bool,
    /// If operations were lost here: the number of the first suggestion that says so, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<usize>,
}

/// The event at a position, with the line that computed its value.
///
/// # Errors
/// The event cannot be read.
pub(in crate::recorded) fn event_at(
    trace: &mut RecordedTrace,
    at: EventPosition,
) -> Result<EventShown, SessionError> {
    let mut event = call_or_event(&mut trace.calls, at)?.unwrap_or_default();
    let Recording { calls, lines, .. } = &mut trace.recording;
    lines.correct(calls, at, &mut event)?;
    Ok(event)
}

/// The event at a position. If it makes a call, that call.
fn call_or_event(calls: &mut Calls, at: EventPosition) -> Result<Option<EventShown>, SessionError> {
    let happens = calls.event_at(at, |calls, seen| (event(calls, seen), seen.site.what, seen.node))?;
    let Some((shown, what, node)) = happens else { return Ok(None) };
    Ok(Some(match (what, node) {
        (Traced::Enter, Some(made)) if made != at.node => {
            let line = calls.called_from(at)?;
            let call = CallShown::of(calls, made)?.map(Box::new);
            EventShown { event: "call", call, line, ..EventShown::default() }
        }
        _ => shown,
    }))
}

/// The events of the current call around a position: up to `many` on each side.
///
/// # Errors
/// They cannot be read.
pub(super) fn list(
    trace: &mut RecordedTrace,
    here: EventPosition,
    many: usize,
    marked: Option<&Variable>,
    lost_at: &[EventPosition],
) -> Result<Vec<ListedEvent>, SessionError> {
    let mut places = VecDeque::from([here]);
    for _ in 0..many {
        let calls = &mut trace.calls;
        if let Some(at) = places.front().copied()
            && let Some(before) = calls.preceding(at)?
        {
            places.push_front(before);
        }
        if let Some(at) = places.back().copied()
            && let Some(after) = calls.following(at)?
        {
            places.push_back(after);
        }
    }
    let mut found = Vec::new();
    for at in places {
        let event = event_at(trace, at)?;
        let (changes, changes_below) = match marked {
            Some(marked) => writes(&mut trace.calls, at, &event, marked)?,
            None => (false, false),
        };
        let omitted = (1..).zip(lost_at).find_map(|(number, lost)| (*lost == at).then_some(number));
        found.push(ListedEvent { event, here: at == here, changes, changes_below, omitted });
    }
    Ok(found)
}

/// Whether an event writes a variable, and whether a call below it does.
pub(super) fn writes(
    calls: &mut Calls,
    at: EventPosition,
    event: &EventShown,
    variable: &Variable,
) -> Result<(bool, bool), SessionError> {
    Ok(match (variable, &event.call) {
        (Variable::Local(node, name), _) => {
            let is_write = *node == at.node && event.event == "local" && event.name.as_ref() == Some(name);
            (is_write, false)
        }
        (Variable::Parts(object, parts), None) => {
            let is_write = calls.event_at(at, |calls, seen| calls.is_write_to(seen, *object, parts))?;
            (is_write.unwrap_or(false), false)
        }
        (Variable::Parts(object, parts), Some(call)) => {
            let (from, to) = calls.span(calls.own(call.node))?;
            let mut is_below = false;
            for part in parts {
                let rows = calls.write_rows(*object, *part)?;
                let last = NearestWrites::of(calls, &rows, from)?.last_at;
                is_below |= last != NearestWrites::of(calls, &rows, to)?.last_at;
            }
            (false, is_below)
        }
    })
}

/// The writes to a local variable of a call, at most the last `limit`.
///
/// # Errors
/// The entry of the call was not recorded, or its events cannot be read.
pub(super) fn local_history(
    trace: &mut RecordedTrace,
    node: u32,
    name: &str,
    limit: usize,
) -> Result<History, SessionError> {
    let calls = &mut trace.calls;
    let thread = calls.thread_of(node).unwrap_or_default();
    let begin = calls.entry(node).ok_or_else(|| InspectError::NoVariable(name.to_owned()))?;
    let mut writes = VecDeque::new();
    let mut before = 0;
    calls.events_after(begin, |calls, seen| {
        let named = seen.site.written.as_ref().is_some_and(|written| written.name == name);
        if named && matches!(seen.site.what, Traced::Local { .. }) {
            let method = calls.sites.method(seen.site.method);
            let method = method.map(|m| format!("{}.{}", m.class, m.name)).unwrap_or_default();
            let write = event(calls, seen);
            let (thread, node) = (thread.clone(), Some(calls.shown(node)));
            let at = seen.position();
            writes.push_back((at, WriteShown { thread, node, method, run: None, at, write }));
            if writes.len() > limit {
                writes.pop_front();
                before += 1;
            }
        }
        true
    })?;
    let Recording { calls, lines, .. } = &mut trace.recording;
    let mut shown = Vec::with_capacity(writes.len());
    for (at, mut write) in writes {
        if let Some(at) = at {
            lines.correct(calls, at, &mut write.write)?;
        }
        shown.push(write);
    }
    let missing = trace.missing_in(node);
    Ok(History { variable: name.to_owned(), writes: shown, before, missing, ..History::default() })
}
