//! The log of value flow: fixed-length records of hits, in order, read from the end.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// The length of a record in bytes.
pub const RECORD: usize = 24;

/// The number of records read at once.
const BLOCK: u64 = 1 << 14;

/// One record: a hit of a site through which a value passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedHit {
    /// The number of the site.
    pub site: u32,
    /// The number of the hit among those of the site in threads with the same name, from 1.
    pub ordinal: u64,
    /// The number of the thread.
    pub thread: u16,
    /// The number of the activation in its thread; 0 if unknown.
    pub activation: u64,
    /// A hash of the object whose field or element was accessed; 0 for none.
    pub owner: u32,
    /// The index of the element.
    pub index: i32,
}

impl LoggedHit {
    /// Decodes a record; `None` if its thread has not written it yet.
    pub fn read(bytes: [u8; RECORD]) -> Option<LoggedHit> {
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or_default();
        let (hit, activation, element) = (next(), next(), next());
        let low = |word: u64| u32::try_from(word & 0xffff_ffff).unwrap_or_default();
        (hit != 0).then(|| LoggedHit {
            site: low(hit) & 0xf_ffff,
            ordinal: hit >> 20,
            thread: u16::try_from(activation & 0xffff).unwrap_or_default(),
            activation: activation >> 16,
            owner: low(element >> 32),
            index: low(element).cast_signed(),
        })
    }
}

/// Reads a log from its end to its beginning.
#[derive(Debug)]
pub struct LogReader {
    file: File,
    /// The number of records before those already read.
    before: u64,
    /// Records that were read but not returned; the last one is next.
    block: Vec<LoggedHit>,
}

impl LogReader {
    /// Starts at the end of the log.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<LogReader> {
        let file = File::open(path)?;
        let before = file.metadata()?.len() / u64::try_from(RECORD).unwrap_or(1);
        Ok(LogReader { file, before, block: Vec::new() })
    }

    /// The previous record; `None` at the beginning.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn back(&mut self) -> io::Result<Option<LoggedHit>> {
        while self.block.is_empty() {
            if self.before == 0 {
                return Ok(None);
            }
            let count = self.before.min(BLOCK);
            self.before -= count;
            self.file.seek(SeekFrom::Start(self.before * u64::try_from(RECORD).unwrap_or(1)))?;
            let mut bytes = vec![0; usize::try_from(count).unwrap_or_default() * RECORD];
            self.file.read_exact(&mut bytes)?;
            self.block.extend(bytes.as_chunks::<RECORD>().0.iter().copied().filter_map(LoggedHit::read));
        }
        Ok(self.block.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(site: u64, ordinal: u64, thread: u64, activation: u64, owner: u64, index: u32) -> Vec<u8> {
        let words = [ordinal << 20 | site, activation << 16 | thread, owner << 32 | u64::from(index)];
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn reading_backwards_skips_holes_and_crosses_blocks() {
        let path = std::env::temp_dir().join(format!("wire-log-{}", std::process::id()));
        let mut bytes = Vec::new();
        for n in 1..=BLOCK + 5 {
            bytes.extend(if n == 7 {
                vec![0; RECORD]
            } else {
                record(3, n, 2, n * 10, 0xffff_fffe, u32::MAX)
            });
        }
        std::fs::write(&path, bytes).unwrap();
        let mut reader = LogReader::open(&path).unwrap();
        let first = reader.back().unwrap().unwrap();
        let wanted = LoggedHit {
            site: 3,
            ordinal: BLOCK + 5,
            thread: 2,
            activation: (BLOCK + 5) * 10,
            owner: 0xffff_fffe,
            index: -1,
        };
        assert_eq!(first, wanted);
        let mut ordinals = vec![first.ordinal];
        while let Some(record) = reader.back().unwrap() {
            ordinals.push(record.ordinal);
        }
        let expected: Vec<u64> = (1..=BLOCK + 5).rev().filter(|n| *n != 7).collect();
        assert_eq!(ordinals, expected);
        std::fs::remove_file(path).unwrap();
    }
}
