//! Blocks: parts of a thread's events that can be decoded alone. A block lies within one chunk and one turn,
//! and has about 8 KiB of events at most. In the order of their first events, the blocks of all threads
//! give the order of all events.

use super::calls::Calls;
use super::columns::NONE;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::event_cache::CallContext;
use super::event_time::EventTime;
use super::walk::TracedEvent;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use wire::recording::Traced;

/// Size at which a block ends, in bytes.
const STRIDE: u32 = 8 << 10;

/// A part of a thread's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The thread's number.
    pub thread: u32,
    /// The time of its first event.
    pub from: EventTime,
    /// The byte in the chunk after its last event.
    end: u32,
    /// The number of the next call that is entered, and the innermost open call ([`NONE`] for none).
    next: u32,
    inside: u32,
}

/// A step on the way through the events of a thread.
#[derive(Debug)]
pub enum BlockStep<'a> {
    /// A block begins. It is the first one of its thread if `is_first`.
    Begins {
        /// The time of its first event.
        from: EventTime,
        /// Whether the thread has no events before it.
        is_first: bool,
    },
    /// An event.
    Event(&'a TracedEvent<'a>),
    /// The thread ends, with the number of an uncaught exception, or 0.
    Ends(EventTime, u32),
}

impl Block {
    /// Whether it contains an event of its thread.
    pub fn contains(&self, when: EventTime) -> bool {
        let (chunk, at) = when.place;
        chunk == self.from.place.0 && (self.from.place.1..self.end).contains(&at)
    }

    /// The thread's turn in which it lies.
    pub fn turn(&self) -> u64 {
        self.from.turn
    }

    /// The byte after its last event, as a time in its thread.
    pub fn end(&self) -> EventTime {
        EventTime { turn: self.from.turn, place: (self.from.place.0, self.end) }
    }

    fn context(&self) -> CallContext {
        let inside = Some(self.inside).filter(|node| *node != NONE);
        CallContext { turn: self.from.turn, next: self.next, inside }
    }
}

/// What a pass over events does at each of them.
type Visit<'v> = &'v mut dyn FnMut(&Calls, BlockStep<'_>) -> ControlFlow<()>;

/// The part of a chunk that a pass visits.
struct Part {
    thread: u32,
    chunk: u32,
    at: u32,
    /// The end of the events, or the end of the chunk.
    end: Option<u32>,
    is_first: bool,
}

impl Calls {
    /// Visits all events of a thread, and divides them into blocks. Ends early when `visit` breaks.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn blocks_of(&mut self, thread: u32, visit: Visit<'_>) -> Result<Vec<Block>, TraceError> {
        let mut blocks = Vec::new();
        for chunk in self.chunks_of(thread) {
            let (turn, next, inside) = self.beginning(chunk);
            // The first chunks can have no events.
            let is_first = blocks.is_empty();
            let part = Part { thread, chunk, at: 0, end: None, is_first };
            let along = CallContext { turn, next, inside };
            if self.visit_part(part, along, Some(&mut blocks), visit)?.is_break() {
                break;
            }
        }
        Ok(blocks)
    }

    /// The number of the thread in which an event happened.
    pub fn thread_at(&self, when: EventTime) -> Option<u32> {
        self.source.chunk(when.place.0).map(|chunk| chunk.thread)
    }

    /// Visits the events of one block.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk_block(&mut self, block: &Block, visit: Visit<'_>) -> Result<(), TraceError> {
        let (chunk, at) = block.from.place;
        let part = Part { thread: block.thread, chunk, at, end: Some(block.end), is_first: false };
        _ = self.visit_part(part, block.context(), None, visit)?;
        Ok(())
    }

    fn visit_part(
        &mut self,
        Part { thread, chunk, at, end, mut is_first }: Part,
        mut along: CallContext,
        mut blocks: Option<&mut Vec<Block>>,
        visit: Visit<'_>,
    ) -> Result<ControlFlow<()>, TraceError> {
        let events = self.chunk(chunk)?;
        let at_byte = usize::try_from(at).unwrap_or(usize::MAX);
        let mut decoder = Decoder::with_lines_from(&self.sites, &events, at_byte);
        let mut values: Vec<Value> = Vec::new();
        // Where the next block begins, if its first event has not been read yet.
        let (mut begins, mut begun) = (blocks.is_some().then_some(at), at);
        loop {
            let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
            if end.is_some_and(|end| at >= end) {
                break;
            }
            let may_begin = blocks.is_some() && begins.is_none() && decoder.is_at_begin();
            if may_begin && at.saturating_sub(begun) >= STRIDE {
                begins = Some(at);
            }
            let broken = |what| TraceError::Broken { thread, at: at.into(), what };
            let Some(event) = decoder.next(&mut values, None).map_err(broken)? else { break };
            if let Event::Turn(turn) = event {
                along.turn = turn;
                begins = blocks.is_some().then_some(at);
                continue;
            }
            if let (Some(from), Some(blocks)) = (begins.take(), &mut blocks) {
                begun = from;
                if let Some(last) = blocks.last_mut().filter(|last| last.from.place.0 == chunk) {
                    last.end = from;
                }
                let from = EventTime { turn: along.turn, place: (chunk, from) };
                let inside = along.inside.unwrap_or(NONE);
                blocks.push(Block { thread, from, end: u32::MAX, next: along.next, inside });
                if visit(self, BlockStep::Begins { from, is_first }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
                is_first = false;
            }
            let when = EventTime { turn: along.turn, place: (chunk, at) };
            let flow = match event {
                Event::Turn(_) => ControlFlow::Continue(()),
                Event::End(exception) => visit(self, BlockStep::Ends(when, exception)),
                Event::At(site) | Event::Around(site) => {
                    let is_end = matches!(site.what, Traced::Return | Traced::Leave);
                    let is_around = matches!(event, Event::Around(_));
                    let (node, around) = along.go(site, self);
                    let caller = || node.filter(|_| !is_end).and_then(|node| self.parent(node));
                    let around = around.or_else(caller);
                    self.objects.distinguish(site, &mut values);
                    let EventTime { turn, place } = when;
                    let seen = TracedEvent { site, values: &values, node, around, is_around, turn, place };
                    visit(self, BlockStep::Event(&seen))
                }
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
