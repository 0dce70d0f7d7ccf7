//! Exceptions on their way through the frames of a thread, from where they are thrown to where they are caught.

use super::hit::{Happened, Hit};
use super::search::Search;
use super::thread_events::ThreadEvents;
use model::{ActivationKey, Frame, FrameKey, Site, StackKey, Tables};
use query::Event;
use std::sync::Arc;
use trace::{Calls, EventPosition, EventTime, Traced, TracedEvent, Value};

/// How an exception concerns a hit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlightEnd {
    /// It was thrown there.
    Thrown,
    /// It was caught there, and left this code index of the same frame.
    Caught(u32),
    /// It bypassed a line of the frame with so many newer ones.
    Bypassed(u32),
}

/// An exception on its way through the recorded frames.
pub(super) struct Flight {
    /// The exception.
    pub exception: u32,
    /// Where it was thrown, or where it entered recorded code.
    pub thrown: FrameKey,
    /// Whether code that was not recorded threw it, or the VM.
    pub is_raised: bool,
    /// Where it ended.
    pub ended: FlightsEnd,
}

/// Where the way of an exception ended.
#[derive(Clone, Copy)]
pub(super) enum FlightsEnd {
    /// A handler of a recorded frame caught it.
    Caught {
        /// The frame, where the exception passed through it.
        frame: FrameKey,
        /// The first instruction of the handler.
        handler: u32,
        /// Number of frames newer than it.
        above: u32,
        /// Its activation.
        activation: Option<ActivationKey>,
    },
    /// It left all recorded code of its thread.
    Left,
    /// Code that was not recorded caught it between two recorded frames.
    Elsewhere,
}

/// A frame that an exception reaches.
#[derive(Clone, Copy)]
pub(super) struct ReachedFrame {
    frame: FrameKey,
    node: u32,
    activation: ActivationKey,
    /// Where it stands.
    at: EventPosition,
}

/// An exception whose way has not ended.
pub(super) struct Departure {
    exception: u32,
    is_raised: bool,
    when: EventTime,
    /// The frames, newest first.
    frames: Vec<ReachedFrame>,
    /// Number of frames that it has left.
    left: usize,
}

impl Departure {
    /// The activations of its frames.
    pub fn activations(&self) -> impl Iterator<Item = ActivationKey> {
        self.frames.iter().map(|frame| frame.activation)
    }
}

impl ThreadEvents {
    /// An exception is thrown at a code index of the newest frame.
    pub(super) fn depart(
        &mut self,
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        (bci, is_raised): (u32, bool),
    ) {
        if !search.sought.has_exceptions() {
            return;
        }
        let Some(Value::Object(exception)) = seen.values.first().copied() else { return };
        let Some((frames, _)) = self.frames(calls, search, bci) else { return };
        let reached = frames.into_iter().enumerate().filter_map(|(above, (frame, node, activation))| {
            let at = self.position_in(calls, seen, above)?;
            Some(ReachedFrame { frame, node, activation, at })
        });
        let frames: Vec<ReachedFrame> = reached.collect();
        self.flight = Some(Departure { exception, is_raised, when: seen.when(), frames, left: 0 });
    }

    /// Follows the exception on its way, if there is one.
    pub(super) fn follow_flight(&mut self, seen: &TracedEvent<'_>, search: &mut Search<'_>) {
        let Some(flight) = &mut self.flight else { return };
        let is_it = seen.values.first() == Some(&Value::Object(flight.exception));
        let here = flight.frames.get(flight.left).copied().filter(|here| seen.node == Some(here.node));
        let ended = match (seen.site.what, here) {
            (Traced::Leave, Some(_)) if is_it => {
                flight.left += 1;
                if flight.left < flight.frames.len() {
                    return;
                }
                FlightsEnd::Left
            }
            (Traced::Catch, Some(here)) if is_it => FlightsEnd::Caught {
                frame: here.frame,
                handler: seen.site.bci,
                above: u32::try_from(flight.left).unwrap_or(u32::MAX),
                activation: Some(here.activation),
            },
            _ => FlightsEnd::Elsewhere,
        };
        self.end_flight(ended, search);
    }

    /// The way of the exception has ended. Its hits are at the time when it was thrown: a thread has no other
    /// hits while an exception leaves its frames.
    pub(super) fn end_flight(&mut self, ended: FlightsEnd, search: &mut Search<'_>) {
        let Some(departure) = self.flight.take() else { return };
        let Some(thrown) = departure.frames.first().map(|newest| newest.frame) else { return };
        let (exception, is_raised) = (departure.exception, departure.is_raised);
        let flight = Arc::new(Flight { exception, thrown, is_raised, ended });
        let stacks = stacks_below(search.tables, &departure.frames);
        for ConcernedFrame { query, above, frame, end } in concerned(search, &departure, thrown, ended) {
            let Some((reached, below)) = departure.frames.get(above).zip(stacks.get(above)) else { continue };
            let ordinal = self.count(query, thrown);
            self.found.push_back(Hit {
                query,
                when: departure.when,
                at: reached.at,
                thread: self.thread,
                ordinal,
                frame,
                stack: search.tables.push_frame(*below, frame),
                activation: Some(reached.activation),
                arm: None,
                results: Vec::new(),
                what: Happened::Thrown(flight.clone(), end),
            });
        }
    }
}

/// A frame in which an exception concerns a query.
struct ConcernedFrame {
    query: u16,
    /// Number of newer frames.
    above: usize,
    /// The frame; of a handler, at its first instruction.
    frame: FrameKey,
    end: FlightEnd,
}

/// The frames in which an exception concerns queries.
fn concerned(
    search: &mut Search<'_>,
    departure: &Departure,
    thrown: FrameKey,
    ended: FlightsEnd,
) -> Vec<ConcernedFrame> {
    let mut found = Vec::new();
    for query in search.sought.thrown.clone() {
        found.push(ConcernedFrame { query, above: 0, frame: thrown, end: FlightEnd::Thrown });
    }
    if let FlightsEnd::Caught { frame, handler, above, .. } = ended {
        for query in search.sought.handlers.clone() {
            let Some((at_handler, left)) = handler_frame(search, query, frame, handler) else { continue };
            let above = usize::try_from(above).unwrap_or(usize::MAX);
            found.push(ConcernedFrame { query, above, frame: at_handler, end: FlightEnd::Caught(left) });
        }
    }
    let last = match ended {
        FlightsEnd::Caught { above, .. } => usize::try_from(above).unwrap_or(usize::MAX),
        FlightsEnd::Left | FlightsEnd::Elsewhere => departure.left.max(1) - 1,
    };
    for query in search.sought.skipped.clone() {
        // The exception bypassed the innermost frame first; the outermost one comes first.
        let passed = departure.frames.iter().enumerate().take(last.saturating_add(1));
        let bypassed = passed.filter(|(above, reached)| {
            let handler = match ended {
                FlightsEnd::Caught { above: catches, handler, .. } => {
                    (usize::try_from(catches) == Ok(*above)).then_some(handler)
                }
                _ => None,
            };
            is_bypassed(search, query, reached.frame, handler)
        });
        let all = bypassed.map(|(above, reached)| {
            let end = FlightEnd::Bypassed(u32::try_from(above).unwrap_or(u32::MAX));
            ConcernedFrame { query, above, frame: reached.frame, end }
        });
        let all: Vec<ConcernedFrame> = all.collect();
        found.extend(all.into_iter().rev());
    }
    found
}

/// The frame of a handler about which a query asks, at its first instruction, and the code index that the
/// exception left.
fn handler_frame(
    search: &mut Search<'_>,
    query: u16,
    frame: FrameKey,
    handler: u32,
) -> Option<(FrameKey, u32)> {
    let Event::Branched(branches) = &search.queries.get(usize::from(query))?.event else { return None };
    let place = search.tables.frame(frame)?.clone();
    let is_it = |site: &Site| site.bci == handler && site.method == place.site.method;
    branches.iter().find(|branch| branch.is_handler() && is_it(&branch.site))?;
    let line = search.line_of(&place.site.method, handler);
    let (left, site) = (place.site.bci, Site { method: place.site.method.clone(), bci: handler });
    Some((search.tables.frame_key(Frame { site, line, ..place }), left))
}

/// Whether an exception bypassed a line of a frame: it left the frame, or a handler of the frame caught it.
fn is_bypassed(search: &Search<'_>, query: u16, frame: FrameKey, handler: Option<u32>) -> bool {
    let queries = search.queries.get(usize::from(query));
    let Some(Event::Skipped(lines)) = queries.map(|query| &query.event) else { return false };
    let Some(frame) = search.tables.frame(frame) else { return false };
    lines.iter().filter(|line| line.method == frame.site.method).any(|line| {
        let from = match handler {
            Some(handler) => line.bypassed_from.get(&handler),
            None => Some(&line.left_from),
        };
        from.is_some_and(|from| from.contains(&frame.site.bci))
    })
}

/// The stack below each of these frames, which stand newest first.
fn stacks_below(tables: &mut Tables, frames: &[ReachedFrame]) -> Vec<StackKey> {
    let (mut below, mut stacks) = (StackKey::EMPTY, Vec::new());
    for reached in frames.iter().rev() {
        stacks.push(below);
        below = tables.push_frame(below, reached.frame);
    }
    stacks.reverse();
    stacks
}
