//! Tells whether two recordings have the same events, without decoding them.

use super::calls::Calls;
use super::error::TraceError;
use super::source::Source;
use std::collections::{BTreeMap, VecDeque};

impl Calls {
    /// Whether another recording has the same events with the same meaning, byte by byte. Then all that can
    /// be asked of one has the same answer in the other. `goes_on` is called now and then; it returns false
    /// to interrupt.
    ///
    /// # Errors
    /// A recording cannot be read; [`TraceError::Interrupted`] if `goes_on` returned false.
    pub fn has_events_of(
        &self,
        other: &Calls,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, TraceError> {
        let is_alike = self.bytes == other.bytes
            && self.stamp().sites == other.stamp().sites
            && !self.source.has_dropped()
            && !other.source.has_dropped();
        if !is_alike {
            return Ok(false);
        }
        let (mut here, mut there) = (self.source.again(), other.source.again());
        let (streams, others) = (streams(&here), streams(&there));
        if !streams.keys().eq(others.keys()) {
            return Ok(false);
        }
        for (mut one, mut other) in streams.into_values().zip(others.into_values()) {
            loop {
                if !goes_on() {
                    return Err(TraceError::Interrupted);
                }
                let (Some(left), Some(right)) = (one.rest(&mut here)?, other.rest(&mut there)?) else {
                    return Ok(false);
                };
                let length = left.len().min(right.len());
                if left.get(..length) != right.get(..length) {
                    return Ok(false);
                }
                if length == 0 {
                    if left.len() != right.len() {
                        return Ok(false);
                    }
                    break;
                }
                one.at += length;
                other.at += length;
            }
        }
        Ok(true)
    }
}

/// The events of a thread, read chunk by chunk.
#[derive(Default)]
struct EventStream {
    /// The chunks that were not read yet.
    chunks: VecDeque<u32>,
    read: Vec<u8>,
    /// Number of bytes of the chunk read last that were compared.
    at: usize,
}

/// The events of each thread.
fn streams(source: &Source) -> BTreeMap<u32, EventStream> {
    let mut streams: BTreeMap<u32, EventStream> = BTreeMap::new();
    for (number, chunk) in (0..).zip(&source.chunks) {
        streams.entry(chunk.thread).or_default().chunks.push_back(number);
    }
    streams
}

impl EventStream {
    /// What follows the compared bytes in their chunk, or the next chunk; empty at the end. `None` if a chunk
    /// is damaged.
    fn rest(&mut self, source: &mut Source) -> Result<Option<&[u8]>, TraceError> {
        while self.at == self.read.len() {
            let Some(next) = self.chunks.pop_front() else { break };
            let Some(read) = source.read_into(next, std::mem::take(&mut self.read))? else {
                return Ok(None);
            };
            (self.read, self.at) = (read, 0);
        }
        Ok(self.read.get(self.at..))
    }
}
