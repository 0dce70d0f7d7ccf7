//! External sort of rows of words: rows that do not fit into memory go to unnamed temporary files.

use crate::TraceError;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Buffer size for reading and writing runs, in bytes.
const AT_ONCE: usize = 1 << 16;

/// Collects rows in any order and sorts them.
pub struct Sorter<const N: usize> {
    folder: PathBuf,
    most: usize,
    rows: Vec<[u32; N]>,
    runs: Vec<Run>,
}

impl<const N: usize> Sorter<N> {
    /// Creates a sorter that uses at most `bytes` bytes of memory, and temporary files in `folder` for the
    /// rest.
    pub fn new(folder: &Path, bytes: usize) -> Sorter<N> {
        // The sort itself needs half as much memory again.
        let most = (bytes / size_of::<[u32; N]>() / 3 * 2).max(1);
        Sorter { folder: folder.to_owned(), most, rows: Vec::new(), runs: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Errors
    /// A run cannot be written.
    pub fn push(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        if self.rows.len() == self.most {
            self.rows.sort_by(order);
            let mut run = RunWriter::create(&self.folder)?;
            self.rows.drain(..).try_for_each(|row| run.push(row))?;
            self.runs.push(run.finish()?);
        }
        self.rows.push(row);
        Ok(())
    }

    /// Adds rows. Sorting is faster if they are in ascending order.
    ///
    /// # Errors
    /// A run cannot be written.
    pub fn extend(&mut self, rows: &[[u32; N]]) -> Result<(), TraceError> {
        rows.iter().try_for_each(|row| self.push(*row))
    }

    /// Sorts the rows.
    ///
    /// # Errors
    /// A run cannot be read.
    pub fn sorted(mut self) -> Result<Sorted<N>, TraceError> {
        // The rows are often nearly sorted, so use the sort that detects ordered runs.
        self.rows.sort_by(order);
        let rest = self.rows.into_iter();
        let mut sorted = Sorted { rest, runs: self.runs, heads: BinaryHeap::new() };
        for run in 0..=sorted.runs.len() {
            let first = sorted.read(run)?;
            sorted.heads.extend(first.map(|row| Reverse((row, run))));
        }
        Ok(sorted)
    }
}

/// Compares rows, the first two words at once.
fn order<const N: usize>(one: &[u32; N], other: &[u32; N]) -> Ordering {
    let first =
        |row: &[u32; N]| row.first_chunk::<2>().map(|[high, low]| u64::from(*high) << 32 | u64::from(*low));
    first(one).cmp(&first(other)).then_with(|| one.cmp(other))
}

/// Rows in ascending order.
pub struct Sorted<const N: usize> {
    /// The rows still in memory.
    rest: std::vec::IntoIter<[u32; N]>,
    runs: Vec<Run>,
    /// The next row of each run.
    heads: BinaryHeap<Reverse<([u32; N], usize)>>,
}

impl<const N: usize> Sorted<N> {
    fn read(&mut self, run: usize) -> Result<Option<[u32; N]>, TraceError> {
        match self.runs.get_mut(run) {
            None => Ok(self.rest.next()),
            Some(run) => run.next(),
        }
    }

    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// A run cannot be read.
    pub fn next(&mut self) -> Result<Option<[u32; N]>, TraceError> {
        let Some(Reverse((row, run))) = self.heads.peek().copied() else { return Ok(None) };
        let behind = self.read(run)?;
        if let Some(mut head) = self.heads.peek_mut() {
            match behind {
                Some(behind) => *head = Reverse((behind, run)),
                None => _ = PeekMut::pop(head),
            }
        }
        Ok(Some(row))
    }
}

/// A sequence of rows in an unnamed temporary file.
pub struct Run {
    folder: PathBuf,
    file: BufReader<File>,
}

impl Run {
    /// The next row; `None` at the end.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn next<const N: usize>(&mut self) -> Result<Option<[u32; N]>, TraceError> {
        let mut row = [[0; 4]; N];
        let read = self.file.fill_buf().map(<[u8]>::is_empty).and_then(|is_end| match is_end {
            true => Ok(None),
            false => self.file.read_exact(row.as_flattened_mut()).map(|()| Some(row.map(u32::from_le_bytes))),
        });
        read.map_err(TraceError::at(&self.folder))
    }

    /// Reads the words that follow a row.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn words(&mut self, many: usize) -> Result<Vec<u32>, TraceError> {
        let mut words = vec![[0; 4]; many];
        self.file.read_exact(words.as_flattened_mut()).map_err(TraceError::at(&self.folder))?;
        Ok(words.into_iter().map(u32::from_le_bytes).collect())
    }
}

/// Writes a run.
pub struct RunWriter {
    folder: PathBuf,
    file: BufWriter<File>,
}

impl RunWriter {
    /// Creates an unnamed temporary file in the folder's file system.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(folder: &Path) -> Result<RunWriter, TraceError> {
        let file = tempfile::tempfile_in(folder).map_err(TraceError::at(folder))?;
        Ok(RunWriter { folder: folder.to_owned(), file: BufWriter::with_capacity(AT_ONCE, file) })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// The row cannot be written.
    pub fn push<const N: usize>(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        let row = row.map(u32::to_le_bytes);
        self.file.write_all(row.as_flattened()).map_err(TraceError::at(&self.folder))
    }

    /// Appends words that follow a row.
    ///
    /// # Errors
    /// The words cannot be written.
    pub fn words(&mut self, words: &[u32]) -> Result<(), TraceError> {
        for some in words.chunks(AT_ONCE / size_of::<u32>()) {
            let bytes: Vec<[u8; 4]> = some.iter().map(|word| word.to_le_bytes()).collect();
            self.file.write_all(bytes.as_flattened()).map_err(TraceError::at(&self.folder))?;
        }
        Ok(())
    }

    /// Completes the run, ready to be read from the start.
    ///
    /// # Errors
    /// The buffered rows cannot be written.
    pub fn finish(self) -> Result<Run, TraceError> {
        let file = self.file.into_inner().map_err(std::io::IntoInnerError::into_error);
        let rewound = file.and_then(|mut file| file.rewind().map(|()| file));
        let file = rewound.map_err(TraceError::at(&self.folder))?;
        Ok(Run { folder: self.folder, file: BufReader::with_capacity(AT_ONCE, file) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_in_their_order(rows: Vec<[u32; 2]>, most in 1_usize..9) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), most * 12);
            for row in &rows {
                sorter.push(*row).unwrap();
            }
            let mut sorted = sorter.sorted().unwrap();
            let mut found = Vec::new();
            while let Some(row) = sorted.next().unwrap() {
                found.push(row);
            }
            let mut wanted = rows;
            wanted.sort_unstable();
            prop_assert_eq!(found, wanted);
        }
    }
}
