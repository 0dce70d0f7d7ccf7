//! Finds the events of a chain's points in a recording.

use super::answers::{RecordedAnswer, RecordedSource};
use answer::Outcome;
use chain::Chain;
use past::PastError;
use past::call::CallShown;
use past::event::{EventShown, event};
use replay::Options;
use serde::Serialize;
use session::{Context, SessionError};

/// The event of a point.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundEvent {
    /// The id of the point.
    pub point: String,
    /// The name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// The number of the event in the call, from 1; 0 for the entry.
    pub number: usize,
    /// The event.
    pub event: EventShown,
}

/// The events of the points of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FoundEvents {
    /// The events that were found.
    pub found: Vec<FoundEvent>,
    /// The points without an event, with the reasons.
    pub not_found: Vec<(String, String)>,
    /// The reasons why relevant parts of the run are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// Finds the events of all points of a chain, or of one point.
///
/// # Errors
/// There is no such point, a question is invalid, or the recording cannot be read.
pub fn find(
    source: &mut RecordedSource<'_>,
    name: &str,
    chain: &Chain,
    point: Option<&str>,
    context: &Context,
) -> Result<FoundEvents, SessionError> {
    let answered = match source.replay(name, chain, &Options::default(), context) {
        // Without its root, no point is found.
        Err(SessionError::NotInRecording { id, why, .. }) => {
            let not_found = vec![(id.to_string(), why)];
            return Ok(FoundEvents { not_found, missing: source.trace.missing(), ..FoundEvents::default() });
        }
        answered => answered?,
    };
    let RecordedAnswer { answer, events, .. } = answered;
    if answer.outcome == Outcome::Interrupted {
        return Err(SessionError::Interrupted);
    }
    let mut all = FoundEvents::default();
    for asked in answer.points.iter().filter(|asked| point.is_none_or(|wanted| asked.id == wanted)) {
        let Some(at) = events.get(&asked.id).copied() else {
            let why = asked.reason.clone().unwrap_or_else(|| "it was not located".to_owned());
            all.not_found.push((asked.id.clone(), why));
            continue;
        };
        let calls = &mut source.trace.calls;
        let mut number = 0;
        calls.events_until(at, |_, _| number += 1)?;
        let no_such = PastError::NoSuchCall { node: at.node, calls: calls.count() };
        let event = calls.event_at(at, event)?.unwrap_or_default();
        let call = CallShown::of(calls, at.node)?.ok_or(no_such)?;
        let thread = calls.thread_of(at.node).unwrap_or_default();
        all.found.push(FoundEvent { point: asked.id.clone(), thread, call, number, event });
    }
    match point {
        Some(point) if all == FoundEvents::default() => {
            Err(SessionError::NoStep(format!("the chain has no point {point}")))
        }
        _ => Ok(FoundEvents { missing: source.trace.missing(), ..all }),
    }
}
