//! The index of a log: the blocks of all threads in the order in which they happened, each with the id of its
//! first event and the state in which decoding begins.

use super::derive::{Counted, Frame, ThreadState};
use super::facts::{Facts, FirstCalls};
use super::mask::Mask;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use trace::{Block, BlockStep, Calls, EventTime, Stamp, TraceError};

/// A block with its place in the log.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct IndexedBlock {
    pub block: Block,
    /// The id of its first event, and the number of its events.
    pub first: u64,
    pub count: u32,
    /// The kinds of its events.
    pub kinds: u16,
    /// The sites of its calls, exits and field writes.
    pub mask: Mask,
    /// Whether it is the first block of its thread.
    pub begins_thread: bool,
    /// The innermost open call as it begins: a row of the saved frames.
    frame: Option<u32>,
    /// The exception that is leaving calls as it begins.
    flying: u32,
}

/// What is known of a block without decoding it.
#[derive(Clone, Copy, Debug)]
pub struct BlockSummary {
    /// The number of its thread.
    pub thread: u32,
    /// The kinds of its events, a bit each.
    pub kinds: u16,
    /// The sites of its calls, exits and field writes.
    pub mask: Mask,
    /// Number of its events.
    pub count: u32,
}

/// An open call where a block begins. It refers to its caller, so blocks share the callers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SavedFrame {
    node: u32,
    line: u16,
    this: u32,
    caller: Option<u32>,
}

/// Version of the stored form.
const FORMAT: u32 = 2;

/// An index as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    /// The recording that it belongs to.
    of: Stamp,
    blocks: Vec<IndexedBlock>,
    frames: Vec<SavedFrame>,
    first_calls: FirstCalls,
}

/// The index.
pub struct LogIndex {
    pub(super) facts: Facts,
    blocks: Vec<IndexedBlock>,
    frames: Vec<SavedFrame>,
    /// The blocks of each thread, in order.
    by_thread: BTreeMap<u32, Vec<u32>>,
    /// Number of events.
    count: u64,
}

impl LogIndex {
    /// Goes over all events of a recording. `goes_on` is called for each thread, and stops the work when it
    /// returns false.
    ///
    /// # Errors
    /// The events cannot be read; [`TraceError::Interrupted`].
    pub fn build(calls: &mut Calls, goes_on: &mut dyn FnMut() -> bool) -> Result<LogIndex, TraceError> {
        let facts = Facts::of(calls)?;
        let mut index =
            LogIndex { facts, blocks: Vec::new(), frames: Vec::new(), by_thread: BTreeMap::new(), count: 0 };
        for (thread, ..) in calls.threads() {
            index.thread(calls, thread, goes_on)?;
        }
        index.blocks.sort_by_key(|block| block.block.from);
        index.number();
        index.facts.look_up();
        Ok(index)
    }

    /// Gives each block its first id.
    fn number(&mut self) {
        for (number, block) in (0..).zip(&mut self.blocks) {
            block.first = self.count;
            self.count += u64::from(block.count);
            self.by_thread.entry(block.block.thread).or_default().push(number);
        }
    }

    /// The index in its stored form; `None` if it cannot be stored.
    pub fn to_bytes(&self, of: Stamp) -> Option<Vec<u8>> {
        let (blocks, frames) = (self.blocks.clone(), self.frames.clone());
        let first_calls = self.facts.first_calls.clone();
        let stored = Stored { format: FORMAT, of, blocks, frames, first_calls };
        let mut bytes = postcard::to_stdvec(&stored).ok()?;
        // A checksum ends the file.
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Some(bytes)
    }

    /// Reads an index of this recording from its stored form; `None` if it is damaged, or of another state.
    pub fn from_bytes(bytes: &[u8], calls: &Calls) -> Option<LogIndex> {
        let (bytes, sum) = bytes.split_last_chunk()?;
        if u32::from_le_bytes(*sum) != crc32fast::hash(bytes) {
            return None;
        }
        let stored: Stored = postcard::from_bytes(bytes).ok()?;
        let Stored { format, of, blocks, frames, first_calls } = stored;
        if format != FORMAT || of != calls.stamp() {
            return None;
        }
        let facts = Facts::known(calls, first_calls).ok()?;
        let mut index = LogIndex { facts, blocks, frames, by_thread: BTreeMap::new(), count: 0 };
        index.number();
        Some(index)
    }

    fn thread(
        &mut self,
        calls: &mut Calls,
        thread: u32,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), TraceError> {
        let mut state = ThreadState::default();
        let mut counted: Vec<(Counted, Option<u32>, u32, bool)> = Vec::new();
        let (facts, frames) = (&self.facts, &mut self.frames);
        let mut is_stopped = false;
        let blocks = calls.blocks_of(thread, &mut |calls, step| {
            if let BlockStep::Begins { is_first, .. } = step {
                let frame = save(&mut state.frames, frames);
                counted.push((Counted::default(), frame, state.flying, is_first));
                if !goes_on() {
                    is_stopped = true;
                    return ControlFlow::Break(());
                }
            }
            if let Some((count, ..)) = counted.last_mut() {
                state.go(facts, calls, &step, count);
            }
            ControlFlow::Continue(())
        })?;
        if is_stopped {
            return Err(TraceError::Interrupted);
        }
        for (block, (Counted { count, kinds, mask }, frame, flying, begins_thread)) in
            blocks.into_iter().zip(counted)
        {
            self.blocks.push(IndexedBlock {
                block,
                first: 0,
                count,
                kinds,
                mask,
                begins_thread,
                frame,
                flying,
            });
        }
        Ok(())
    }

    /// Number of events in the log. Their ids are the numbers below it.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// The recorded events of a block.
    pub fn events(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number).map(|block| &block.block)
    }

    /// What is known of a block without decoding it.
    pub fn summary(&self, number: usize) -> Option<BlockSummary> {
        self.blocks.get(number).map(|block| BlockSummary {
            thread: block.block.thread,
            kinds: block.kinds,
            mask: block.mask,
            count: block.count,
        })
    }

    pub(super) fn block(&self, number: usize) -> Option<&IndexedBlock> {
        self.blocks.get(number)
    }

    /// The block that contains the event with this id.
    pub fn of_id(&self, id: u64) -> Option<usize> {
        let behind = self.blocks.partition_point(|block| block.first <= id);
        // Blocks without events have the id of the next block.
        behind.checked_sub(1).filter(|_| id < self.count)
    }

    /// The block of a thread that contains a time of that thread.
    pub fn at(&self, thread: u32, when: EventTime) -> Option<usize> {
        let blocks = self.by_thread.get(&thread)?;
        let place = when.place_in_thread();
        let from =
            |number: &u32| self.blocks.get(usize::try_from(*number).ok()?).map(|block| block.block.from);
        let behind =
            blocks.partition_point(|number| from(number).is_some_and(|from| from.place_in_thread() <= place));
        usize::try_from(*blocks.get(behind.checked_sub(1)?)?).ok()
    }

    /// The blocks of a thread, in order.
    pub fn of_thread(&self, thread: u32) -> impl DoubleEndedIterator<Item = usize> {
        let blocks = self.by_thread.get(&thread).map_or(&[][..], Vec::as_slice);
        blocks.iter().filter_map(|block| usize::try_from(*block).ok())
    }

    /// The name of the class of a `memberfields` event.
    pub fn class(&self, number: u32) -> Option<&str> {
        self.facts.first_calls.classes.get(usize::try_from(number).ok()?).map(|class| &**class)
    }

    /// The blocks of a thread from one of them on.
    pub(super) fn of_thread_from(&self, thread: u32, number: usize) -> &[u32] {
        let blocks = self.by_thread.get(&thread).map_or(&[][..], Vec::as_slice);
        let first = blocks.partition_point(|block| usize::try_from(*block).is_ok_and(|block| block < number));
        blocks.get(first..).unwrap_or_default()
    }

    /// The state of the thread as a block begins.
    pub(super) fn state(&self, block: &IndexedBlock, calls: &Calls) -> ThreadState {
        let mut frames = Vec::new();
        let mut at = block.frame;
        while let Some(saved) = at.and_then(|at| usize::try_from(at).ok()).and_then(|at| self.frames.get(at))
        {
            let method = calls.method_number(saved.node).unwrap_or(u32::MAX);
            frames.push(Frame { node: saved.node, method, line: saved.line, this: saved.this, saved: None });
            at = saved.caller;
        }
        frames.reverse();
        ThreadState { frames, flying: block.flying }
    }
}

/// Saves the open calls that are not saved yet. Returns the row of the innermost.
fn save(open: &mut [Frame], frames: &mut Vec<SavedFrame>) -> Option<u32> {
    let mut caller = None;
    let first = open.iter().rposition(|frame| frame.saved.is_some());
    if let Some(first) = first {
        caller = open.get(first).and_then(|frame| frame.saved);
    }
    for frame in open.iter_mut().skip(first.map_or(0, |first| first + 1)) {
        let row = u32::try_from(frames.len()).ok();
        frames.push(SavedFrame { node: frame.node, line: frame.line, this: frame.this, caller });
        (frame.saved, caller) = (row, row);
    }
    caller
}
