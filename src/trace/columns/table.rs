//! A table in an Arrow IPC file: rows of unsigned numbers, written once, in their order, and mapped into memory to be read.

use crate::trace::TraceError;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, UInt32Array, UInt64Array};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::thread::JoinHandle;

/// Rows of a batch, but for the last one.
const BATCH: usize = 1 << 16;
/// So many batches wait to be written.
const AHEAD: usize = 1;
/// What an Arrow file ends with: four bytes with the length of its footer, and six that say what it is.
const TRAILER: usize = 10;

/// How wide the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 32 bits: a word of a row.
    Word,
    /// 64 bits: two words of a row, the upper one first.
    Double,
}

/// The columns of a table.
pub type Layout = &'static [(&'static str, Width)];

fn schema(columns: Layout) -> Schema {
    let field = |(name, width): &(&str, Width)| {
        let of = if *width == Width::Word { DataType::UInt32 } else { DataType::UInt64 };
        Field::new(*name, of, false)
    };
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

fn wrong(path: &Path) -> impl FnOnce(ArrowError) -> TraceError {
    let at = TraceError::at(path);
    |error| at(std::io::Error::other(error))
}

/// Writes a table: a thread of its own does, so that who has the rows goes on.
pub struct TableWriter<const N: usize> {
    path: PathBuf,
    rows: Vec<[u32; N]>,
    batches: Option<SyncSender<Vec<[u32; N]>>>,
    /// What held rows that were written.
    empty: Receiver<Vec<[u32; N]>>,
    work: Option<JoinHandle<Result<(), TraceError>>>,
}

impl<const N: usize> TableWriter<N> {
    /// Into a new file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, columns: Layout) -> Result<TableWriter<N>, TraceError> {
        let mut file = BatchWriter::create(path, columns)?;
        let (batches, ready) = std::sync::mpsc::sync_channel::<Vec<[u32; N]>>(AHEAD);
        let (back, empty) = std::sync::mpsc::sync_channel(AHEAD);
        let work = move || {
            for mut rows in ready {
                file.write(&rows)?;
                rows.clear();
                // It is for whoever looks for one.
                drop(back.try_send(rows));
            }
            file.finish()
        };
        let work = std::thread::Builder::new().spawn(work).map_err(TraceError::at(path))?;
        let (batches, work) = (Some(batches), Some(work));
        Ok(TableWriter { path: path.to_owned(), rows: Vec::new(), batches, empty, work })
    }

    /// A further row.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        self.rows.push(row);
        if self.rows.len() == BATCH { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let rows = std::mem::replace(&mut self.rows, self.empty.try_recv().unwrap_or_default());
        match &self.batches {
            Some(batches) if batches.send(rows).is_ok() => Ok(()),
            // Nobody takes any more: what went wrong is told at the end.
            _ => self.end(),
        }
    }

    /// The last one was written.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        if !self.rows.is_empty() {
            self.write()?;
        }
        self.end()
    }

    fn end(&mut self) -> Result<(), TraceError> {
        drop(self.batches.take());
        let early = || TraceError::at(&self.path)(std::io::Error::other("a thread ended early"));
        match self.work.take() {
            Some(work) => work.join().unwrap_or_else(|_| Err(early())),
            None => Err(early()),
        }
    }
}

impl<const N: usize> Drop for TableWriter<N> {
    fn drop(&mut self) {
        // Its file is left alone before the folder of that is removed.
        drop(self.end());
    }
}

/// Writes a table of two columns of words: groups, and the numbers of each.
pub struct GroupsWriter {
    batches: BatchWriter,
    groups: Vec<u32>,
    numbers: Vec<u32>,
}

impl GroupsWriter {
    /// Into a new file.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, columns: Layout) -> Result<GroupsWriter, TraceError> {
        let batches = BatchWriter::create(path, columns)?;
        Ok(GroupsWriter { batches, groups: Vec::new(), numbers: Vec::new() })
    }

    /// Further rows, of one group.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn push(&mut self, group: u32, mut numbers: &[u32]) -> Result<(), TraceError> {
        while !numbers.is_empty() {
            let many = numbers.len().min(BATCH - self.numbers.len());
            let (some, rest) = numbers.split_at(many);
            self.numbers.extend_from_slice(some);
            self.groups.resize(self.numbers.len(), group);
            numbers = rest;
            if self.numbers.len() == BATCH {
                self.write()?;
            }
        }
        Ok(())
    }

    fn write(&mut self) -> Result<(), TraceError> {
        let columns = [&mut self.groups, &mut self.numbers]
            .map(|column| -> ArrayRef { Arc::new(UInt32Array::from(std::mem::take(column))) });
        self.batches.write_columns(columns.into())
    }

    /// The last one was written.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        if !self.numbers.is_empty() {
            self.write()?;
        }
        self.batches.finish()
    }
}

/// Writes batches of rows into a file.
struct BatchWriter {
    path: PathBuf,
    columns: Layout,
    writer: FileWriter<BufWriter<File>>,
}

impl BatchWriter {
    fn create(path: &Path, columns: Layout) -> Result<BatchWriter, TraceError> {
        let file = BufWriter::new(File::create_new(path).map_err(TraceError::at(path))?);
        let writer = FileWriter::try_new(file, &schema(columns)).map_err(wrong(path))?;
        Ok(BatchWriter { path: path.to_owned(), columns, writer })
    }

    fn write<const N: usize>(&mut self, rows: &[[u32; N]]) -> Result<(), TraceError> {
        let word = |at: usize| rows.iter().map(move |row| row.get(at).copied().unwrap_or(0));
        let mut at = 0;
        let mut arrays: Vec<ArrayRef> = Vec::new();
        for (_, width) in self.columns {
            arrays.push(match width {
                Width::Word => Arc::new(UInt32Array::from_iter_values(word(at))),
                Width::Double => {
                    let both = word(at).zip(word(at + 1));
                    let values = both.map(|(high, low)| u64::from(high) << 32 | u64::from(low));
                    Arc::new(UInt64Array::from_iter_values(values))
                }
            });
            at += if *width == Width::Word { 1 } else { 2 };
        }
        self.write_columns(arrays)
    }

    fn write_columns(&mut self, arrays: Vec<ArrayRef>) -> Result<(), TraceError> {
        let batch =
            RecordBatch::try_new(Arc::new(schema(self.columns)), arrays).map_err(wrong(&self.path))?;
        self.writer.write(&batch).map_err(wrong(&self.path))
    }

    fn finish(mut self) -> Result<(), TraceError> {
        self.writer.finish().map_err(wrong(&self.path))
    }
}

/// A table that is there.
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

enum Column {
    Word(Vec<PrimitiveArray<UInt32Type>>),
    Double(Vec<PrimitiveArray<UInt64Type>>),
}

impl Table {
    /// Maps a file.
    ///
    /// # Errors
    /// It cannot be read, or holds something else.
    pub fn open(path: &Path, columns: Layout) -> Result<Table, TraceError> {
        Table::of(path, map(path).map_err(TraceError::at(path))?, columns)
    }

    fn of(path: &Path, mapped: Bytes, columns: Layout) -> Result<Table, TraceError> {
        let buffer = Buffer::from(mapped);
        let batches = batches(&buffer, columns).map_err(wrong(path))?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let (last, whole) = batches.split_last().map_or((0, &[][..]), |(last, all)| (last.num_rows(), all));
        if last > BATCH || whole.iter().any(|batch| batch.num_rows() != BATCH) {
            return Err(wrong(path)(no("its batches are of another length")));
        }
        let mut found = Vec::new();
        for (at, (_, width)) in columns.iter().enumerate() {
            let arrays = batches.iter().map(|batch| batch.column(at));
            found.push(match width {
                Width::Word => Column::Word(typed(arrays)),
                Width::Double => Column::Double(typed(arrays)),
            });
        }
        Ok(Table { columns: found, rows })
    }

    /// Maps a file that nobody else reads yet, so that numbers of it can be replaced.
    ///
    /// # Errors
    /// As above.
    pub fn replacing(path: &Path, columns: Layout) -> Result<Replacing, TraceError> {
        let mapped = map(path).map_err(TraceError::at(path))?;
        let begin = mapped.as_ptr().addr();
        let table = Table::of(path, mapped, columns)?;
        let file = File::options().write(true).open(path).map_err(TraceError::at(path))?;
        Ok(Replacing { path: path.to_owned(), table, begin, file })
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// A number by its column and row; 0 where there is none.
    pub fn get(&self, column: usize, row: usize) -> u64 {
        let (batch, row) = (row / BATCH, row % BATCH);
        match self.columns.get(column) {
            Some(Column::Word(batches)) => {
                batches.get(batch).and_then(|b| b.values().get(row)).copied().map_or(0, u64::from)
            }
            Some(Column::Double(batches)) => {
                batches.get(batch).and_then(|b| b.values().get(row)).copied().unwrap_or(0)
            }
            None => 0,
        }
    }

    /// The address of a number of a column of words.
    fn address(&self, column: usize, row: usize) -> Option<usize> {
        let Some(Column::Word(batches)) = self.columns.get(column) else { return None };
        let number = batches.get(row / BATCH)?.values().get(row % BATCH)?;
        Some((&raw const *number).addr())
    }

    /// A number of a column of words.
    pub fn word(&self, column: usize, row: usize) -> u32 {
        u32::try_from(self.get(column, row)).unwrap_or(u32::MAX)
    }

    /// The first row that is not below: each column given is compared in turn. Rows are sorted by these.
    pub fn lower_bound(&self, wanted: &[u64]) -> usize {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            let is_below = wanted
                .iter()
                .enumerate()
                .map(|(column, wanted)| self.get(column, middle).cmp(wanted))
                .find(|order| order.is_ne())
                .is_some_and(std::cmp::Ordering::is_lt);
            if is_below {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// Replaces rows of a table.
pub struct Replacing {
    path: PathBuf,
    table: Table,
    /// The address at which the file begins in memory.
    begin: usize,
    file: File,
}

impl Replacing {
    /// A number of a column of words, in a row which the table has.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn put(&mut self, row: u32, column: usize, word: u32) -> Result<(), TraceError> {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        let place = self.table.address(column, row).and_then(|address| address.checked_sub(self.begin));
        let place = place.and_then(|place| u64::try_from(place).ok());
        let place = place.ok_or_else(|| wrong(&self.path)(no("it lacks a row")))?;
        let bytes = word.to_le_bytes();
        let written = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.write_all(&bytes));
        written.map_err(TraceError::at(&self.path))
    }
}

fn no(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_owned())
}

fn typed<'a, T: arrow_array::ArrowPrimitiveType>(
    arrays: impl Iterator<Item = &'a ArrayRef>,
) -> Vec<PrimitiveArray<T>> {
    arrays.filter_map(|array| array.as_any().downcast_ref::<PrimitiveArray<T>>().cloned()).collect()
}

/// A file, mapped into memory.
pub fn map(path: &Path) -> std::io::Result<Bytes> {
    let file = File::open(path)?;
    // SAFETY: the file is written once, under another name, and read by nobody before it is whole. Whoever changes it then, with
    // other programs, changes numbers; every place that they name is checked before it is read.
    #[expect(unsafe_code, reason = "a file that is mapped can be changed by others")]
    let mapped = unsafe { memmap2::Mmap::map(&file)? };
    Ok(Bytes::from_owner(mapped))
}

fn batches(file: &Buffer, columns: Layout) -> Result<Vec<RecordBatch>, ArrowError> {
    let end = file.len().checked_sub(TRAILER).ok_or_else(|| no("it is too short"))?;
    let trailer = file.get(end..).and_then(|rest| rest.first_chunk::<TRAILER>());
    let footer = read_footer_length(*trailer.ok_or_else(|| no("it is too short"))?)?;
    let footer = end.checked_sub(footer).and_then(|begin| file.get(begin..end));
    let footer = footer.ok_or_else(|| no("it is too short"))?;
    let footer = arrow_ipc::root_as_footer(footer).map_err(|_| no("its footer cannot be read"))?;
    let found = footer.schema().ok_or_else(|| no("it says nothing of columns"))?;
    let found = arrow_ipc::convert::try_fb_to_schema(found)?;
    if found.fields() != schema(columns).fields() {
        return Err(no("it has other columns"));
    }
    let decoder = FileDecoder::new(Arc::new(found), footer.version()).with_require_alignment(true);
    let mut batches = Vec::new();
    for block in footer.recordBatches().iter().flatten() {
        let part = || {
            let begin = usize::try_from(block.offset()).ok()?;
            let length = usize::try_from(block.bodyLength()).ok()?;
            let length = length.checked_add(usize::try_from(block.metaDataLength()).ok()?)?;
            (begin.checked_add(length)? <= end).then_some((begin, length))
        };
        let (begin, length) = part().ok_or_else(|| no("a batch is not inside of it"))?;
        let block_of = file.slice_with_length(begin, length);
        if !is_inside(block, &block_of) {
            return Err(no("a column is not inside of its batch"));
        }
        batches.extend(decoder.read_record_batch(block, &block_of)?);
    }
    Ok(batches)
}

/// Whether all buffers of a batch lie in it: that is not looked at when it is read.
fn is_inside(block: &arrow_ipc::Block, bytes: &[u8]) -> bool {
    let part = || {
        let (head, body) = bytes.split_at_checked(usize::try_from(block.metaDataLength()).ok()?)?;
        // Four bytes say that a message follows, and four its length.
        let message = arrow_ipc::root_as_message(head.get(8..)?).ok()?;
        let buffers = message.header_as_record_batch()?.buffers()?;
        let inside = buffers.iter().all(|buffer| {
            let end = buffer.offset().checked_add(buffer.length()).and_then(|end| usize::try_from(end).ok());
            buffer.offset() >= 0 && buffer.length() >= 0 && end.is_some_and(|end| end <= body.len())
        });
        Some(inside)
    };
    part().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Layout = &[("key", Width::Word), ("turn", Width::Double)];

    #[test]
    fn a_table_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        for rows in [0, 1, 65_535, 65_536, 65_537, 200_000] {
            let path = folder.path().join(rows.to_string());
            let mut writer = TableWriter::<3>::create(&path, COLUMNS).unwrap();
            for row in 0..rows {
                writer.push([row / 3, row % 3, row]).unwrap();
            }
            writer.finish().unwrap();
            let table = Table::open(&path, COLUMNS).unwrap();
            assert_eq!(table.len(), rows as usize);
            for row in (0..rows).step_by(997) {
                let turn = u64::from(row % 3) << 32 | u64::from(row);
                assert_eq!(
                    (table.get(0, row as usize), table.get(1, row as usize)),
                    ((row / 3).into(), turn)
                );
                assert_eq!(table.lower_bound(&[(row / 3).into(), turn]), row as usize);
                assert_eq!(table.lower_bound(&[(row / 3).into()]), (row / 3 * 3) as usize);
            }
            assert_eq!(table.lower_bound(&[u64::MAX]), rows as usize);
        }
    }

    #[test]
    fn a_file_that_was_cut_off_or_changed_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        let mut writer = TableWriter::<3>::create(&path, COLUMNS).unwrap();
        for row in 0..100 {
            writer.push([row, 0, row]).unwrap();
        }
        writer.finish().unwrap();
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(Table::open(&path, COLUMNS).is_err(), "{cut}");
        }
        // What was changed is none, or other numbers; nothing is read outside of the file.
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x81;
            std::fs::write(&path, changed).unwrap();
            if let Ok(table) = Table::open(&path, COLUMNS) {
                (0..table.len()).for_each(|row| _ = table.get(0, row) + table.get(1, row) % 2);
            }
        }
        std::fs::write(&path, &whole).unwrap();
        assert!(Table::open(&path, &[("key", Width::Word)]).is_err());
    }
}
