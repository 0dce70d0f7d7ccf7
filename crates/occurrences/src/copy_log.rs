//! The hits of copies before a point, in a file: there can be very many.

use query::CopyHit;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use trace::EventTime;

/// The length of a record in bytes.
const RECORD: usize = 44;

/// Number of records that are read at once.
const BLOCK: u64 = 1 << 12;

/// A hit with the time of the event that told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedHit {
    /// The hit. Its activation is the number of its call.
    pub hit: CopyHit,
    /// The time of the event.
    pub when: EventTime,
}

/// Writes hits in their order. The file has no name, so nothing of it stays.
pub(super) struct CopyLogWriter(BufWriter<File>);

impl CopyLogWriter {
    /// An empty log.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new() -> io::Result<CopyLogWriter> {
        Ok(CopyLogWriter(BufWriter::new(tempfile::tempfile()?)))
    }

    /// Adds a hit.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, TimedHit { hit, when }: TimedHit) -> io::Result<()> {
        let (turn, chunk, byte) = when.numbers();
        let file = &mut self.0;
        file.write_all(&turn.to_le_bytes())?;
        file.write_all(&hit.activation.to_le_bytes())?;
        let ordinal = u32::try_from(hit.ordinal).unwrap_or(u32::MAX);
        for word in [chunk, byte, hit.site, ordinal, hit.thread, hit.owner, hit.index.cast_unsigned()] {
            file.write_all(&word.to_le_bytes())?;
        }
        Ok(())
    }

    /// Reads what was written, from the end.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn read(self) -> io::Result<CopyLogReader> {
        let mut file = self.0.into_inner().map_err(io::IntoInnerError::into_error)?;
        let before = file.stream_position()? / u64::try_from(RECORD).unwrap_or(1);
        Ok(CopyLogReader { file, before, block: Vec::new() })
    }
}

/// Reads hits from the last to the first.
pub(super) struct CopyLogReader {
    file: File,
    /// The number of records before those already read.
    before: u64,
    /// Records that were read but not returned; the last one is next.
    block: Vec<TimedHit>,
}

impl CopyLogReader {
    /// The hit before; `None` at the beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn back(&mut self) -> io::Result<Option<TimedHit>> {
        if self.block.is_empty() && self.before > 0 {
            let count = self.before.min(BLOCK);
            self.before -= count;
            self.file.seek(SeekFrom::Start(self.before * u64::try_from(RECORD).unwrap_or(1)))?;
            let mut bytes = vec![0; usize::try_from(count).unwrap_or_default() * RECORD];
            self.file.read_exact(&mut bytes)?;
            self.block.extend(bytes.as_chunks::<RECORD>().0.iter().map(timed_hit));
        }
        Ok(self.block.pop())
    }
}

fn timed_hit(record: &[u8; RECORD]) -> TimedHit {
    let mut words = record.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or_default();
    let mut long = || u64::from(next()) | u64::from(next()) << 32;
    let (turn, activation) = (long(), long());
    let (chunk, byte) = (next(), next());
    let when = EventTime::of_numbers(turn, chunk, byte);
    let (site, ordinal, thread, owner) = (next(), next().into(), next(), next());
    let hit = CopyHit { site, ordinal, thread, activation, owner, index: next().cast_signed() };
    TimedHit { hit, when }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_come_back_from_the_last_to_the_first() {
        let hit = |n: u32| TimedHit {
            hit: CopyHit {
                site: n,
                ordinal: u64::from(n) + 1,
                thread: 3,
                activation: u64::from(n) << 33,
                owner: u32::MAX - n,
                index: -7,
            },
            when: EventTime::of_numbers(u64::from(n) << 40, n, n + 1),
        };
        let count = u32::try_from(BLOCK).unwrap() + 3;
        let mut log = CopyLogWriter::new().unwrap();
        (0..count).for_each(|n| log.add(hit(n)).unwrap());
        let mut reader = log.read().unwrap();
        for n in (0..count).rev() {
            assert_eq!(reader.back().unwrap(), Some(hit(n)));
        }
        assert_eq!(reader.back().unwrap(), None);
    }
}
