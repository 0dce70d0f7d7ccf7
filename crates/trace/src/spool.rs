//! Records that are written in order and read from the last to the first: too many to be kept in memory.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Number of records that are read at once.
const BLOCK: u64 = 1 << 12;

/// Writes records of this many words. Their file has no name, so nothing of it stays.
pub struct SpoolWriter<const WORDS: usize> {
    file: BufWriter<File>,
    count: u64,
}

impl<const WORDS: usize> SpoolWriter<WORDS> {
    /// Without records.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new() -> io::Result<SpoolWriter<WORDS>> {
        Ok(SpoolWriter { file: BufWriter::new(tempfile::tempfile()?), count: 0 })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add(&mut self, record: [u32; WORDS]) -> io::Result<()> {
        self.count += 1;
        record.iter().try_for_each(|word| self.file.write_all(&word.to_le_bytes()))
    }

    /// Reads the records.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn read(self) -> io::Result<SpoolReader<WORDS>> {
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok(SpoolReader { file, before: self.count, block: Vec::new() })
    }
}

/// Reads records from the last to the first.
pub struct SpoolReader<const WORDS: usize> {
    file: File,
    /// The number of records before those already read.
    before: u64,
    /// Records that were read but not returned; the last one is next.
    block: Vec<[u32; WORDS]>,
}

impl<const WORDS: usize> SpoolReader<WORDS> {
    /// The record before; `None` at the beginning.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn back(&mut self) -> io::Result<Option<[u32; WORDS]>> {
        if self.block.is_empty() && self.before > 0 {
            let length = u64::try_from(WORDS * 4).unwrap_or(u64::MAX);
            let count = self.before.min(BLOCK);
            self.before -= count;
            self.file.seek(SeekFrom::Start(self.before.saturating_mul(length)))?;
            let mut bytes = vec![0; usize::try_from(count).unwrap_or_default() * WORDS * 4];
            self.file.read_exact(&mut bytes)?;
            let mut words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            for _ in 0..count {
                self.block.push(std::array::from_fn(|_| words.next().unwrap_or_default()));
            }
        }
        Ok(self.block.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_from_the_last_to_the_first() {
        let count = u32::try_from(BLOCK).unwrap() + 3;
        let mut spool = SpoolWriter::<3>::new().unwrap();
        (0..count).for_each(|n| spool.add([n, n * 2, u32::MAX - n]).unwrap());
        let mut reader = spool.read().unwrap();
        for n in (0..count).rev() {
            assert_eq!(reader.back().unwrap(), Some([n, n * 2, u32::MAX - n]));
        }
        assert_eq!(reader.back().unwrap(), None);
    }
}
