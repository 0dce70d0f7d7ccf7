//! What is cached of the events of a recording.

use super::decode::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Maximum size of the cached chunks, in bytes.
pub(super) const BYTES: usize = 40 << 20;
/// The same for a thread that goes through the events once.
pub(super) const FEW_BYTES: usize = 8 << 20;
/// Maximum number of cached chunks. Each look-up goes through them, and those of a short thread are small.
pub(super) const CHUNKS: usize = 256;

/// The caches of a recording.
pub(super) struct EventCache {
    /// The most recently used chunk first.
    pub(super) chunks: VecDeque<Chunk>,
    pub(super) bytes: usize,
    /// Maximum size of the chunks, in bytes; one is always kept.
    pub(super) most: usize,
    /// The writes of each row of the table of writes.
    pub(super) rows: HashMap<usize, Arc<[RecordedWrite]>>,
    pub(super) writes: usize,
    /// By field: the addresses of the sites that write it.
    pub(super) fields: HashMap<u32, Arc<HashSet<usize>>>,
}

impl EventCache {
    /// An empty cache for this many bytes of chunks.
    pub(super) fn of(most: usize) -> EventCache {
        EventCache {
            chunks: VecDeque::new(),
            bytes: 0,
            most,
            rows: HashMap::new(),
            writes: 0,
            fields: HashMap::new(),
        }
    }
}

pub(super) struct Chunk {
    pub(super) number: u32,
    pub(super) events: Arc<Vec<u8>>,
    pub(super) marks: Option<Arc<[Mark]>>,
}

/// The position of an event within the calls of its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallContext {
    /// The thread's turn.
    pub turn: u64,
    /// The number of the next call that is entered.
    pub next: u32,
    /// The innermost open call.
    pub inside: Option<u32>,
}

/// A byte at which an event begins, with the state there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The byte in the chunk.
    pub at: u32,
    /// The state at this byte.
    pub along: CallContext,
}

/// A decoded write to a field or element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RecordedWrite {
    /// The byte of the event in its chunk.
    pub at: u32,
    /// The value written.
    pub new: Option<Value>,
    /// The value replaced, if recorded.
    pub found: Option<Value>,
    /// Whether a constructor wrote the field before it called `super(…)`.
    pub is_preset: bool,
}
