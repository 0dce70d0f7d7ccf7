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
        let is_alike = self.sites.without_files == other.sites.without_files;
        if is_alike { have_same_events(&self.source, &other.source, goes_on) } else { Ok(false) }
    }
}

fn have_same_events(
    one: &Source,
    other: &Source,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, TraceError> {
    if one.has_dropped() || other.has_dropped() {
        return Ok(false);
    }
    let (mut here, mut there) = (one.again(), other.again());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunks::ChunkWriter;
    use crate::folder::{About, Folder};

    /// The events of some threads, in chunks of so many bytes at most.
    fn source(events: &[(u32, &[u8])], chunk: usize) -> (Source, tempfile::TempDir) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(&place.path().join("trace"), &About::default()).unwrap();
        std::fs::write(folder.sites(), "{\"Wrote\":\"/a\"}\n").unwrap();
        let mut writer = ChunkWriter::open(&folder.events()).unwrap();
        let mut at = [0; 4];
        let longest = events.iter().map(|(_, of)| of.len()).max().unwrap();
        for begin in (0..longest).step_by(chunk) {
            for (thread, of) in events {
                let end = of.len().min(begin + chunk);
                if begin < end {
                    let at = &mut at[*thread as usize];
                    writer.append(*thread, *at, &of[begin..end]).unwrap();
                    *at += (end - begin) as u64;
                }
            }
        }
        (Source::open(&folder, &About::default()).unwrap().0, place)
    }

    #[test]
    fn the_bytes_of_each_thread_count_and_not_their_division() {
        let (one, other): (Vec<u8>, Vec<u8>) = ((0..200).collect(), (50..90).collect());
        let mut changed = one.clone();
        changed[199] += 1;
        let is_same = |left: &[(u32, &[u8])], right: &[(u32, &[u8])]| {
            let ((left, _one), (right, _other)) = (source(left, 64), source(right, 7));
            have_same_events(&left, &right, &mut || true).unwrap()
        };
        let both: [(u32, &[u8]); 2] = [(1, &one), (2, &other)];
        assert!(is_same(&both, &both));
        assert!(is_same(&both, &[(2, &other), (1, &one)]));
        for different in [
            &[(1, &*changed), (2, &*other)][..],
            &[(1, &one[..199]), (2, &other)],
            &[(1, &one), (3, &other)],
            &[(1, &one)],
        ] {
            assert!(!is_same(&both, different) && !is_same(different, &both));
        }
        let ((left, _one), (right, _other)) = (source(&both, 64), source(&both, 64));
        let stopped = have_same_events(&left, &right, &mut || false);
        assert!(matches!(stopped, Err(TraceError::Interrupted)));
    }
}
