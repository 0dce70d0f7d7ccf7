//! The event of a recorded run at which a located point is.

use super::open::RecordedTrace;
use crate::inspect::InspectError;
use crate::inspect::call::CallShown;
use crate::inspect::event::{EventShown, event};
use crate::session::answer::{Answer, PointAnswer};
use crate::session::error::SessionError;
use crate::trace::{Calls, EventPosition, Traced, TracedEvent, WalkControl};
use serde::Serialize;

/// Where a point is in a recorded run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundEvent {
    /// The point.
    pub point: String,
    /// The name of the thread.
    pub thread: String,
    /// The call.
    pub call: CallShown,
    /// Which of its events, counted from 1; 0 is its entry.
    pub number: usize,
    /// That event.
    pub event: EventShown,
}

/// Where points are.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FoundEvents {
    /// Those that were found.
    pub found: Vec<FoundEvent>,
    /// Those that were not, and why.
    pub not_found: Vec<(String, String)>,
    /// What is missing of the run that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// Finds the points of an answer that were located, or one of them.
///
/// # Errors
/// There is no such point, or the recorded run cannot be read.
pub fn find(
    trace: &mut RecordedTrace,
    answer: &Answer,
    point: Option<&str>,
) -> Result<FoundEvents, SessionError> {
    trace.about.is_whole()?;
    let mut all = FoundEvents::default();
    for told in answer.points.iter().filter(|told| point.is_none_or(|wanted| told.id == wanted)) {
        let mut not = |why: &str| all.not_found.push((told.id.clone(), why.to_owned()));
        if !told.located {
            not("it was not located: `qp replay` says why");
            continue;
        }
        let Some(at) = place_of(&mut trace.calls, told)? else {
            not(
                "what happens there was not recorded: exceptions on their way are not, and what is outside of the scope or the level",
            );
            continue;
        };
        let calls = &mut trace.calls;
        let mut number = 0;
        calls.events_until(at, |_, _| number += 1)?;
        let no_such = InspectError::NoSuchCall { node: at.node, calls: calls.count() };
        let event = calls.event_at(at, event)?.unwrap_or_default();
        let call = CallShown::of(calls, at.node)?.ok_or(no_such)?;
        let thread = calls.thread_of(at.node).unwrap_or_default();
        all.found.push(FoundEvent { point: told.id.clone(), thread, call, number, event });
    }
    match point {
        Some(point) if all == FoundEvents::default() => {
            Err(SessionError::NoStep(format!("the chain has no point {point}")))
        }
        _ => Ok(FoundEvents { missing: trace.missing(), ..all }),
    }
}

/// The event that is a hit of a point: the n-th at its place in its thread.
fn place_of(calls: &mut Calls, told: &PointAnswer) -> Result<Option<EventPosition>, SessionError> {
    let (Some(hit), Some(bci)) = (told.hit, told.bci) else { return Ok(None) };
    let threads = calls.threads().into_iter();
    let named = threads.filter(|(_, name, _)| told.thread.as_ref().is_none_or(|thread| thread == name));
    let numbers: Vec<u32> = named.map(|(number, ..)| number).collect();
    // What happens there is what the point asks about, if that was recorded; else the line, or the entry.
    let kinds: &[fn(Traced) -> bool] = match told.question.split('(').next() {
        Some("Line" | "SkippedLine") => &[|what| matches!(what, Traced::Line(_))],
        Some("Entry") => &[|what| what == Traced::Enter],
        Some("Exit") => &[|what| what == Traced::Return],
        _ => &[
            |what| matches!(what, Traced::Put | Traced::PutStatic | Traced::Preset | Traced::Element(_)),
            |what| matches!(what, Traced::Local { .. }),
            |what| matches!(what, Traced::Branch(_) | Traced::Catch),
            |what| matches!(what, Traced::Array),
        ],
    };
    for is_kind in kinds {
        let mut count = 0;
        for number in &numbers {
            let mut found = None;
            let is_it = |calls: &Calls, seen: &TracedEvent<'_>| {
                let method = calls.sites.method(seen.site.method);
                is_kind(seen.site.what)
                    && seen.site.bci == bci
                    && method.is_some_and(|method| {
                        told.class.as_deref() == Some(&*method.class)
                            && told.method.as_deref() == Some(method.name.as_str())
                    })
                    && told.own_line.is_none_or(|line| seen.site.line.map(u32::from) == Some(line))
            };
            calls.walk(*number, None, |calls, seen| {
                count += u64::from(is_it(calls, seen));
                if count == hit {
                    found = seen.position();
                    return WalkControl::Stop;
                }
                WalkControl::Next
            })?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }
    Ok(None)
}
