//! Reads the log: decodes the blocks that a question needs, and keeps those that were decoded last.

use super::derive::ThreadState;
use super::event::{DecodedBlock, LogEvent};
use super::facts::Facts;
use super::index::LogIndex;
use super::kind::Kind;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use trace::{BlockStep, Calls, ContentsCursor, EventTime, TraceError};

/// Maximum size of the decoded blocks that are kept, in bytes; one is always kept.
const KEPT: usize = 24 << 20;
/// Most collections that are kept replayed.
const COLLECTIONS: usize = 1 << 12;

/// The log of a recording.
pub struct Log {
    index: Arc<LogIndex>,
    kept: HashMap<usize, (Arc<DecodedBlock>, u64)>,
    bytes: usize,
    clock: u64,
    /// Collections, as far as they were replayed for the events of their changes.
    collections: HashMap<u32, ContentsCursor>,
}

impl Log {
    /// Reads a log by its index.
    pub fn new(index: Arc<LogIndex>) -> Log {
        Log { index, kept: HashMap::new(), bytes: 0, clock: 0, collections: HashMap::new() }
    }

    /// The index.
    pub fn index(&self) -> &Arc<LogIndex> {
        &self.index
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.index.facts
    }

    /// The contents of a collection at a time. Each change is replayed once if times are asked for in order.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn contents(
        &mut self,
        calls: &mut Calls,
        collection: u32,
        when: EventTime,
    ) -> Result<&ContentsCursor, TraceError> {
        if self.collections.len() >= COLLECTIONS && !self.collections.contains_key(&collection) {
            self.collections.clear();
        }
        let new = || ContentsCursor::new(collection);
        let cursor = self.collections.entry(collection).or_insert_with(new);
        calls.advance(cursor, when)?;
        drop(cursor.take_changes());
        Ok(cursor)
    }

    /// The events of a block.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn block(&mut self, calls: &mut Calls, number: usize) -> Result<Arc<DecodedBlock>, TraceError> {
        self.clock += 1;
        if let Some((block, used)) = self.kept.get_mut(&number) {
            *used = self.clock;
            return Ok(block.clone());
        }
        let decoded = Arc::new(self.decode(calls, number)?);
        self.bytes += decoded.bytes();
        self.kept.insert(number, (decoded.clone(), self.clock));
        while self.bytes > KEPT && self.kept.len() > 1 {
            let oldest = self.kept.iter().min_by_key(|(_, (_, used))| *used).map(|(number, _)| *number);
            let Some((block, _)) = oldest.and_then(|oldest| self.kept.remove(&oldest)) else { break };
            self.bytes -= block.bytes();
        }
        Ok(decoded)
    }

    /// Decodes a block without keeping it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn decode(&self, calls: &mut Calls, number: usize) -> Result<DecodedBlock, TraceError> {
        let Some(indexed) = self.index.block(number) else { return Ok(DecodedBlock::default()) };
        let mut state = self.index.state(indexed, calls);
        let mut decoded = DecodedBlock::with_room(indexed.first, indexed.block.thread, indexed.count);
        self.derive(calls, number, &mut state, &mut decoded)?;
        Ok(decoded)
    }

    /// Derives the events of a block from the state of its thread before it.
    pub(super) fn derive(
        &self,
        calls: &mut Calls,
        number: usize,
        state: &mut ThreadState,
        into: &mut DecodedBlock,
    ) -> Result<(), TraceError> {
        let Some(indexed) = self.index.block(number) else { return Ok(()) };
        let facts = &self.index.facts;
        if indexed.begins_thread {
            let begins = BlockStep::Begins { from: indexed.block.from, is_first: true };
            state.go(facts, calls, &begins, into);
        }
        calls.walk_block(&indexed.block, &mut |calls, step| {
            state.go(facts, calls, &step, into);
            ControlFlow::Continue(())
        })
    }

    /// The event with an id, in its block; `None` if the log has no such event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event(
        &mut self,
        calls: &mut Calls,
        id: u64,
    ) -> Result<Option<(Arc<DecodedBlock>, LogEvent)>, TraceError> {
        let Some(number) = self.index.of_id(id) else { return Ok(None) };
        let block = self.block(calls, number)?;
        let event = block.event(id).copied();
        Ok(event.map(|event| (block, event)))
    }

    /// The id of the event of this kind that was derived from the recorded event at a time.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn id_of(
        &mut self,
        calls: &mut Calls,
        thread: u32,
        when: EventTime,
        kind: Kind,
    ) -> Result<Option<u64>, TraceError> {
        let Some(number) = self.index.at(thread, when) else { return Ok(None) };
        let block = self.block(calls, number)?;
        let place = when.place_in_thread();
        let first = block.events.partition_point(|event| event.when.place_in_thread() < place);
        let of_it = block.events.iter().enumerate().skip(first);
        let mut of_it = of_it.take_while(|(_, event)| event.when.place_in_thread() == place);
        let found = of_it.find(|(_, event)| event.kind == kind);
        Ok(found.and_then(|(at, _)| Some(block.first + u64::try_from(at).ok()?)))
    }
}
