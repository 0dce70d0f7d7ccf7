//! Finds the event of a recording that corresponds to a located point.

use super::open::RecordedTrace;
use crate::answer::{Answer, PointAnswer};
use crate::error::SessionError;
use past::PastError;
use past::call::CallShown;
use past::event::{EventShown, event};
use serde::Serialize;
use std::collections::HashMap;
use trace::{Calls, EventPosition, Traced, TracedEvent, WalkControl};

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

/// Finds the events of all located points of an answer, or of one point.
///
/// # Errors
/// There is no such point, or the recording cannot be read.
pub fn find(
    trace: &mut RecordedTrace,
    answer: &Answer,
    point: Option<&str>,
) -> Result<FoundEvents, SessionError> {
    trace.about.is_whole()?;
    let mut all = FoundEvents::default();
    for point_answer in
        answer.points.iter().filter(|point_answer| point.is_none_or(|wanted| point_answer.id == wanted))
    {
        let mut not = |why: &str| all.not_found.push((point_answer.id.clone(), why.to_owned()));
        if !point_answer.located {
            not("it was not located: `qp replay` says why");
            continue;
        }
        let Some(threads) = threads_of(&trace.calls, point_answer) else {
            not("several recorded threads have the name of its thread, and which of them it was is unknown");
            continue;
        };
        let Some(at) = place_of(&mut trace.calls, point_answer, &threads)? else {
            not("no such event was recorded: a thrown exception is recorded only where it is caught or \
                 leaves a method, and events outside of the scope or the level are not");
            continue;
        };
        let calls = &mut trace.calls;
        let mut number = 0;
        calls.events_until(at, |_, _| number += 1)?;
        let no_such = PastError::NoSuchCall { node: at.node, calls: calls.count() };
        let event = calls.event_at(at, event)?.unwrap_or_default();
        let call = CallShown::of(calls, at.node)?.ok_or(no_such)?;
        let thread = calls.thread_of(at.node).unwrap_or_default();
        all.found.push(FoundEvent { point: point_answer.id.clone(), thread, call, number, event });
    }
    match point {
        Some(point) if all == FoundEvents::default() => {
            Err(SessionError::NoStep(format!("the chain has no point {point}")))
        }
        _ => Ok(FoundEvents { missing: trace.missing(), ..all }),
    }
}

/// The recorded threads that may be that of a point. Of several with its name, it is the one with its number,
/// since a program usually creates its threads in the same order. `None` if there is no such one.
fn threads_of(calls: &Calls, point_answer: &PointAnswer) -> Option<Vec<u32>> {
    let all = calls.threads().into_iter().map(|(number, ..)| number);
    let Some(name) = &point_answer.thread_base else { return Some(all.collect()) };
    let named: Vec<u32> = all.filter(|number| *calls.identity(*number).base() == **name).collect();
    if named.len() < 2 {
        return Some(named);
    }
    let it =
        named.into_iter().find(|number| Some(calls.identity(*number).number) == point_answer.thread_number);
    it.map(|number| vec![number])
}

/// The event of a point's hit: the n-th event at the point's site in its thread.
fn place_of(
    calls: &mut Calls,
    point_answer: &PointAnswer,
    numbers: &[u32],
) -> Result<Option<EventPosition>, SessionError> {
    let (Some(hit), Some(bci)) = (point_answer.hit, point_answer.bci) else { return Ok(None) };
    // Prefer the event that the point asks about. If none was recorded, take the line or the entry.
    let kinds: &[fn(Traced) -> bool] = match point_answer.question.split('(').next() {
        Some("SkippedLine") => return left_line(calls, point_answer, hit, numbers),
        Some("Line") => &[|what| matches!(what, Traced::Line(_))],
        Some("Exception") => &[|what| matches!(what, Traced::Throw | Traced::Raised)],
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
        for number in numbers {
            let mut found = None;
            let is_it = |calls: &Calls, seen: &TracedEvent<'_>| {
                let method = calls.sites.method(seen.site.method);
                is_kind(seen.site.what)
                    && seen.site.bci == bci
                    && method.is_some_and(|method| {
                        point_answer.class.as_deref() == Some(&*method.class)
                            && point_answer.method.as_deref() == Some(method.name.as_str())
                    })
                    && point_answer.own_line.is_none_or(|line| seen.site.line.map(u32::from) == Some(line))
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

/// The line that an exception left, by the number of such exceptions that left the same method or were caught
/// in it: the last line of the call before.
fn left_line(
    calls: &mut Calls,
    point_answer: &PointAnswer,
    hit: u64,
    threads: &[u32],
) -> Result<Option<EventPosition>, SessionError> {
    let Some(line) = point_answer.own_line.or(point_answer.line) else { return Ok(None) };
    let mut count = 0;
    for thread in threads {
        let (mut standing, mut found) = (HashMap::<u32, (u32, EventPosition)>::new(), None);
        calls.walk(*thread, None, |calls, seen| {
            let of = calls.sites.method(seen.site.method).filter(|method| {
                point_answer.class.as_deref() == Some(&*method.class)
                    && point_answer.method.as_deref() == Some(method.name.as_str())
            });
            let (Some(_), Some(at)) = (of, seen.position()) else { return WalkControl::Next };
            match seen.site.what {
                Traced::Line(number) => {
                    standing.insert(at.node, (number.into(), at));
                }
                Traced::Catch => {
                    let left = standing.get(&at.node).filter(|(number, _)| *number == line);
                    count += u64::from(left.is_some());
                    if count == hit {
                        found = left.map(|(_, at)| *at);
                        return WalkControl::Stop;
                    }
                }
                Traced::Leave => {
                    let left = standing.remove(&at.node).filter(|(number, _)| *number == line);
                    count += u64::from(left.is_some());
                    if count == hit && left.is_some() {
                        found = left.map(|(_, at)| at);
                        return WalkControl::Stop;
                    }
                }
                Traced::Return => {
                    standing.remove(&at.node);
                }
                _ => {}
            }
            WalkControl::Next
        })?;
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}
