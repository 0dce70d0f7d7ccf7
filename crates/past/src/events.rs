//! The events of a recorded call, in order; each callee is one event.

use super::call::CallShown;
use super::error::PastError;
use super::event::{EventShown, add_line, event};
use super::recording::Recording;
use serde::Serialize;
use trace::{EventPosition, Level, Traced, WalkControl};

/// The events of a call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EventsShown {
    /// Name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// The source file, if known.
    pub source: Option<String>,
    /// Its events.
    pub events: Vec<EventShown>,
    /// Whether there are more.
    pub more: bool,
    /// The level at which the call was recorded.
    pub level: Level,
    /// What the recording lacks that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The events of a call, at most `limit`, and whether there are more.
///
/// # Errors
/// The events cannot be read.
pub fn events_of(trace: &mut Recording, of: u32, limit: usize) -> Result<(Vec<EventShown>, bool), PastError> {
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
                    add_line(calls, at, &mut event)?;
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
