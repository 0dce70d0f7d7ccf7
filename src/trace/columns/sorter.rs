//! Sorts rows of words, however many: what does not fit into memory goes to files that have no name.

use crate::trace::TraceError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

/// Takes rows in any order.
pub struct Sorter<const N: usize> {
    folder: PathBuf,
    most: usize,
    rows: Vec<[u32; N]>,
    runs: Vec<File>,
}

impl<const N: usize> Sorter<N> {
    /// One that has so many bytes of rows in memory at most, and others in the file system of a folder.
    pub fn new(folder: &Path, bytes: usize) -> Sorter<N> {
        let most = (bytes / size_of::<[u32; N]>()).max(1);
        Sorter { folder: folder.to_owned(), most, rows: Vec::new(), runs: Vec::new() }
    }

    /// A further row.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        if self.rows.len() == self.most {
            let folder = self.folder.clone();
            self.spill().map_err(TraceError::at(&folder))?;
        }
        self.rows.push(row);
        Ok(())
    }

    fn spill(&mut self) -> std::io::Result<()> {
        self.rows.sort_unstable();
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        for row in self.rows.drain(..) {
            for word in row {
                out.write_all(&word.to_le_bytes())?;
            }
        }
        let mut file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// All rows in their order.
    ///
    /// # Errors
    /// They cannot be read again.
    pub fn sorted(mut self) -> Result<Sorted<N>, TraceError> {
        self.rows.sort_unstable();
        let runs = self.runs.into_iter().map(BufReader::new).collect();
        let mut sorted =
            Sorted { folder: self.folder, rest: self.rows.into_iter(), runs, heads: BinaryHeap::new() };
        for run in 0..=sorted.runs.len() {
            sorted.advance(run)?;
        }
        Ok(sorted)
    }
}

/// Rows in their order.
pub struct Sorted<const N: usize> {
    folder: PathBuf,
    /// Those that are still in memory; they are behind the last of the others.
    rest: std::vec::IntoIter<[u32; N]>,
    runs: Vec<BufReader<File>>,
    /// The next row of each.
    heads: BinaryHeap<Reverse<([u32; N], usize)>>,
}

impl<const N: usize> Sorted<N> {
    fn advance(&mut self, run: usize) -> Result<(), TraceError> {
        let next = match self.runs.get_mut(run) {
            None => self.rest.next(),
            Some(file) => read(file).map_err(TraceError::at(&self.folder))?,
        };
        self.heads.extend(next.map(|row| Reverse((row, run))));
        Ok(())
    }

    /// The next one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn next(&mut self) -> Result<Option<[u32; N]>, TraceError> {
        let Some(Reverse((row, run))) = self.heads.pop() else { return Ok(None) };
        self.advance(run)?;
        Ok(Some(row))
    }
}

fn read<const N: usize>(file: &mut BufReader<File>) -> std::io::Result<Option<[u32; N]>> {
    let mut row = [0; N];
    for (at, word) in row.iter_mut().enumerate() {
        let mut bytes = [0; 4];
        match file.read_exact(&mut bytes) {
            Err(error) if at == 0 && error.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        *word = u32::from_le_bytes(bytes);
    }
    Ok(Some(row))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_come_in_their_order(rows: Vec<[u32; 2]>, most in 1_usize..9) {
            let folder = tempfile::tempdir().unwrap();
            let mut sorter = Sorter::new(folder.path(), most * 8);
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
