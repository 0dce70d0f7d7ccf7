//! The beginning and the end of a recorded thread.

use crate::error::PastError;
use trace::{Calls, EventPosition, EventTime, Exit, Traced};

/// Whether an exception is thrown at an event.
pub(crate) fn throws(what: Traced) -> bool {
    matches!(what, Traced::Throw | Traced::Raised)
}

/// The call of the thread that has no caller, at or around a position.
pub(crate) fn root(calls: &Calls, mut node: u32) -> u32 {
    while let Some(parent) = calls.parent(node) {
        node = parent;
    }
    node
}

/// The entry of the first call of a thread, given a position in it.
pub(crate) fn first_of_thread(calls: &Calls, at: EventPosition) -> EventPosition {
    let thread = calls.thread_number(at.node);
    let first = thread.and_then(|thread| calls.roots(thread).first().copied());
    first.and_then(|first| calls.entry(first)).unwrap_or(at)
}

/// The last event of a thread, given a position in it: where the exception was thrown that ended the thread,
/// if one did.
pub(crate) fn last_of_thread(calls: &mut Calls, at: EventPosition) -> Result<EventPosition, PastError> {
    let thread = calls.thread_number(at.node);
    let last_root = thread.and_then(|thread| calls.roots(thread).last().copied());
    let root = last_root.unwrap_or_else(|| root(calls, at.node));
    let behind = EventPosition::new(root, EventTime::END);
    if calls.exit(root) == Exit::Threw
        && let Some(thrown) = calls.last_event_before(behind, |_, seen| throws(seen.site.what))?
    {
        return Ok(thrown);
    }
    let end = calls.end(root);
    Ok(match end {
        Some(end) => end,
        None => calls.last_event_before(behind, |_, seen| seen.node.is_some())?.unwrap_or(at),
    })
}
