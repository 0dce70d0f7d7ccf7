//! Exceptions on their way through the frames of a thread, from where they are thrown to where they are
//! caught.

use super::hit::{Flight, FlightEnd, FlightsEnd, Happened, Hit};
use super::search::Search;
use super::thread_stack::{StackedFrame, ThreadStack};
use model::{ActivationKey, Frame, FrameKey, Site, StackKey, Tables};
use query::Event;
use std::sync::Arc;
use trace::{Calls, EventPosition, EventTime, Traced, TracedEvent, Value};

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

impl Departure {
    /// An exception that is thrown at a code index of the newest frame.
    pub fn new(
        calls: &Calls,
        seen: &TracedEvent<'_>,
        search: &mut Search<'_>,
        stack: &mut ThreadStack,
        bci: u32,
        is_raised: bool,
    ) -> Option<Departure> {
        let Some(Value::Object(exception)) = seen.values.first().copied() else { return None };
        let (frames, _) = stack.frames(calls, search, bci)?;
        let reached = frames.into_iter().enumerate().filter_map(|(above, stacked)| {
            let StackedFrame { frame, node, activation } = stacked;
            let at = stack.position_in(calls, seen, above)?;
            Some(ReachedFrame { frame, node, activation, at })
        });
        let frames: Vec<ReachedFrame> = reached.collect();
        Some(Departure { exception, is_raised, when: seen.when(), frames, left: 0 })
    }

    /// Follows it to the next event of the thread. Returns where it ended, if it did.
    pub fn follow(&mut self, seen: &TracedEvent<'_>) -> Option<FlightsEnd> {
        let is_it = seen.values.first() == Some(&Value::Object(self.exception));
        let here = self.frames.get(self.left).copied().filter(|here| seen.node == Some(here.node));
        Some(match (seen.site.what, here) {
            (Traced::Leave, Some(_)) if is_it => {
                self.left += 1;
                if self.left < self.frames.len() {
                    return None;
                }
                FlightsEnd::Left
            }
            (Traced::Catch, Some(here)) if is_it => FlightsEnd::Caught {
                frame: here.frame,
                handler: seen.site.bci,
                above: u32::try_from(self.left).unwrap_or(u32::MAX),
                activation: Some(here.activation),
            },
            _ => FlightsEnd::Elsewhere,
        })
    }

    /// Its way has ended. Its hits are at the time when it was thrown: a thread has no other hits while an
    /// exception leaves its frames.
    pub fn end(self, ended: FlightsEnd, search: &mut Search<'_>, stack: &mut ThreadStack) {
        let Some(thrown) = self.frames.first().map(|newest| newest.frame) else { return };
        let (exception, is_raised) = (self.exception, self.is_raised);
        let flight = Arc::new(Flight { exception, thrown, is_raised, ended });
        let stacks = stacks_below(search.tables, &self.frames);
        for ConcernedFrame { query, above, frame, end } in concerned(search, &self, thrown, ended) {
            let Some((reached, below)) = self.frames.get(above).zip(stacks.get(above)) else { continue };
            let ordinal = stack.count(query, thrown);
            stack.found.push_back(Hit {
                query,
                when: self.when,
                at: reached.at,
                thread: stack.thread,
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
