//! Writes tables as Arrow IPC files: rows of unsigned integers, in order. Each table has its own writing
//! thread.

use super::arrow_file::ArrowWriter;
use super::arrow_file::{Layout, Width};
use super::table::BATCH;
use crate::TraceError;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::JoinHandle;

/// Number of batches that may wait for the writing thread.
const AHEAD: usize = 1;

/// A thread that writes batches, so that the producer does not wait.
struct BackgroundWriter<B: Send + 'static> {
    path: PathBuf,
    batches: Option<SyncSender<B>>,
    work: Option<JoinHandle<Result<(), TraceError>>>,
}

impl<B: Send + 'static> BackgroundWriter<B> {
    /// Creates the file and starts the thread.
    fn begin(
        path: &Path,
        columns: Layout,
        mut write: impl FnMut(&mut BatchWriter, B) -> Result<(), TraceError> + Send + 'static,
    ) -> Result<BackgroundWriter<B>, TraceError> {
        let mut file = BatchWriter::create(path, columns)?;
        let (batches, ready) = std::sync::mpsc::sync_channel::<B>(AHEAD);
        let work = move || {
            ready.into_iter().try_for_each(|batch| write(&mut file, batch))?;
            file.finish()
        };
        let work = std::thread::Builder::new().spawn(work).map_err(TraceError::at(path))?;
        Ok(BackgroundWriter { path: path.to_owned(), batches: Some(batches), work: Some(work) })
    }

    fn write(&mut self, batch: B) -> Result<(), TraceError> {
        match &self.batches {
            Some(batches) if batches.send(batch).is_ok() => Ok(()),
            // The writing thread has ended: report its error.
            _ => self.end(),
        }
    }

    fn end(&mut self) -> Result<(), TraceError> {
        drop(self.batches.take());
        let early = || TraceError::at(&self.path)(std::io::Error::other("a worker thread ended early"));
        match self.work.take() {
            Some(work) => work.join().unwrap_or_else(|_| Err(early())),
            None => Err(early()),
        }
    }
}

impl<B: Send + 'static> Drop for BackgroundWriter<B> {
    fn drop(&mut self) {
        // Wait for the thread before the folder of its file is removed.
        drop(self.end());
    }
}

/// Called by the writing thread with the columns of each batch.
pub type BatchObserver = Box<dyn FnMut(&[Vec<u32>]) -> Result<(), TraceError> + Send>;

/// Writes a table whose rows come as columns of words.
pub struct WordsWriter(BackgroundWriter<Vec<Vec<u32>>>);

impl WordsWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, columns: Layout, mut tap: BatchObserver) -> Result<WordsWriter, TraceError> {
        let write = move |file: &mut BatchWriter, batch: Vec<Vec<u32>>| {
            tap(&batch)?;
            file.write_words(&batch)
        };
        BackgroundWriter::begin(path, columns, write).map(WordsWriter)
    }

    /// Appends a batch. All batches except the last have [`BATCH`] rows; no column is wider than a word.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, batch: Vec<Vec<u32>>) -> Result<(), TraceError> {
        self.0.write(batch)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// The remaining batches cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.0.end()
    }
}

/// Writes a table whose rows come one by one.
pub struct TableWriter<const N: usize> {
    rows: Vec<[u32; N]>,
    batches: BackgroundWriter<Vec<[u32; N]>>,
    /// Empty buffers to reuse.
    empty: Receiver<Vec<[u32; N]>>,
}

impl<const N: usize> TableWriter<N> {
    /// Creates the file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, columns: Layout) -> Result<TableWriter<N>, TraceError> {
        let (back, empty) = std::sync::mpsc::sync_channel(AHEAD);
        let write = move |file: &mut BatchWriter, mut rows: Vec<[u32; N]>| {
            file.write(&rows)?;
            rows.clear();
            // Return the buffer for a later batch.
            drop(back.try_send(rows));
            Ok(())
        };
        Ok(TableWriter { rows: Vec::new(), batches: BackgroundWriter::begin(path, columns, write)?, empty })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn push(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        self.rows.push(row);
        if self.rows.len() == BATCH { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let rows = std::mem::replace(&mut self.rows, self.empty.try_recv().unwrap_or_default());
        self.batches.write(rows)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// The remaining rows cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        self.batches.end()
    }
}

/// Writes two tables of words: the grouped integers, and for each group its key, first row and number of
/// rows.
pub struct GroupsWriter {
    batches: BatchWriter,
    numbers: Vec<u32>,
    groups: TableWriter<3>,
    /// The current group: its key, first row and number of rows.
    last: Option<[u32; 3]>,
    rows: u32,
}

impl GroupsWriter {
    /// Creates both files: the integers' and the groups'.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn create(
        numbers: &Path,
        of_numbers: Layout,
        groups: &Path,
        of_groups: Layout,
    ) -> Result<GroupsWriter, TraceError> {
        let batches = BatchWriter::create(numbers, of_numbers)?;
        let groups = TableWriter::create(groups, of_groups)?;
        Ok(GroupsWriter { batches, numbers: Vec::new(), groups, last: None, rows: 0 })
    }

    /// Appends integers of a group. All integers of a group must follow each other.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn push(&mut self, group: u32, mut numbers: &[u32]) -> Result<(), TraceError> {
        let many = u32::try_from(numbers.len()).map_err(|_| TraceError::TooManyCalls)?;
        match &mut self.last {
            Some([of, _, count]) if *of == group => *count += many,
            last => {
                let row = last.replace([group, self.rows, many]);
                row.map_or(Ok(()), |row| self.groups.push(row))?;
            }
        }
        self.rows = self.rows.checked_add(many).ok_or(TraceError::TooManyCalls)?;
        while !numbers.is_empty() {
            let many = numbers.len().min(BATCH - self.numbers.len());
            let (some, rest) = numbers.split_at(many);
            self.numbers.extend_from_slice(some);
            numbers = rest;
            if self.numbers.len() == BATCH {
                self.write()?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let numbers = std::mem::take(&mut self.numbers);
        self.batches.write_words(&[numbers])
    }

    /// Completes both files.
    ///
    /// # Errors
    /// The remaining rows cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        if !self.numbers.is_empty() {
            self.write()?;
        }
        self.batches.finish()?;
        self.last.take().map_or(Ok(()), |row| self.groups.push(row))?;
        self.groups.finish()
    }
}

/// Writes batches of rows to a file.
struct BatchWriter {
    path: PathBuf,
    columns: Layout,
    writer: ArrowWriter<BufWriter<File>>,
}

impl BatchWriter {
    fn create(path: &Path, columns: Layout) -> Result<BatchWriter, TraceError> {
        let file = BufWriter::new(files::create_new(path).map_err(TraceError::at(path))?);
        let writer = ArrowWriter::begin(file, columns).map_err(TraceError::at(path))?;
        Ok(BatchWriter { path: path.to_owned(), columns, writer })
    }

    fn write<const N: usize>(&mut self, rows: &[[u32; N]]) -> Result<(), TraceError> {
        let word = |at: usize| rows.iter().map(move |row| row.get(at).copied().unwrap_or(0));
        let mut at = 0;
        let mut columns = Vec::new();
        for (_, width) in self.columns {
            columns.push(match width {
                Width::Byte => bytes_of(word(at)),
                Width::Word => little_endian(rows.len(), word(at).map(u32::to_le_bytes)),
                Width::Double => {
                    let both = word(at).zip(word(at + 1));
                    let numbers = both.map(|(high, low)| u64::from(high) << 32 | u64::from(low));
                    little_endian(rows.len(), numbers.map(u64::to_le_bytes))
                }
            });
            at += if *width == Width::Double { 2 } else { 1 };
        }
        self.writer.batch(rows.len(), &columns).map_err(TraceError::at(&self.path))
    }

    fn write_words(&mut self, columns: &[Vec<u32>]) -> Result<(), TraceError> {
        let rows = columns.first().map_or(0, Vec::len);
        let made = self.columns.iter().zip(columns).map(|((_, width), words)| match width {
            Width::Byte => bytes_of(words.iter().copied()),
            Width::Word | Width::Double => {
                little_endian(words.len(), words.iter().map(|word| word.to_le_bytes()))
            }
        });
        let made: Vec<Vec<u8>> = made.collect();
        self.writer.batch(rows, &made).map_err(TraceError::at(&self.path))
    }

    fn finish(self) -> Result<(), TraceError> {
        self.writer.finish().map_err(TraceError::at(&self.path))
    }
}

/// Converts words to a column of bytes.
fn bytes_of(words: impl Iterator<Item = u32>) -> Vec<u8> {
    words.map(|word| u8::try_from(word).unwrap_or(u8::MAX)).collect()
}

/// A column of some numbers.
fn little_endian<const W: usize>(rows: usize, numbers: impl Iterator<Item = [u8; W]>) -> Vec<u8> {
    let mut bytes = vec![0; rows * W];
    for (place, number) in bytes.as_chunks_mut::<W>().0.iter_mut().zip(numbers) {
        *place = number;
    }
    bytes
}
