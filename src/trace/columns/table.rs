//! A table in an Arrow IPC file: rows of unsigned integers, mapped into memory.

use crate::files;
use crate::trace::TraceError;
use arrow_array::types::{UInt8Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use bytes::Bytes;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of rows in each batch except the last.
pub const BATCH: usize = 1 << 16;
/// Length of an Arrow file's trailer: four bytes for the footer's length, six for the magic string.
const TRAILER: usize = 10;

/// The width of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits: one word of a row, below 256.
    Byte,
    /// 32 bits: one word of a row.
    Word,
    /// 64 bits: two words of a row, the high one first.
    Double,
}

/// The names and widths of a table's columns.
pub type Layout = &'static [(&'static str, Width)];

/// The high and the low word of a number, as a row has them.
pub fn halves(number: u64) -> [u32; 2] {
    let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or(0);
    [half(number >> 32), half(number)]
}

/// The Arrow schema of a table.
pub fn schema(columns: Layout) -> Schema {
    let field = |(name, width): &(&str, Width)| {
        let of = match width {
            Width::Byte => DataType::UInt8,
            Width::Word => DataType::UInt32,
            Width::Double => DataType::UInt64,
        };
        Field::new(*name, of, false)
    };
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

/// Adds the file's path to an Arrow error.
pub fn wrong(path: &Path) -> impl FnOnce(ArrowError) -> TraceError {
    let at = TraceError::at(path);
    |error| at(std::io::Error::other(error))
}

/// An opened table. A copy reads the same memory.
#[derive(Clone)]
pub struct Table {
    columns: Vec<Column>,
    rows: usize,
}

#[derive(Clone)]
enum Column {
    Byte(Vec<PrimitiveArray<UInt8Type>>),
    Word(Vec<PrimitiveArray<UInt32Type>>),
    Double(Vec<PrimitiveArray<UInt64Type>>),
}

impl Table {
    /// Maps a table's file into memory.
    ///
    /// # Errors
    /// The file cannot be read or is no such table.
    pub fn open(path: &Path, columns: Layout) -> Result<Table, TraceError> {
        Table::of(path, map(path).map_err(TraceError::at(path))?, columns)
    }

    fn of(path: &Path, mapped: Bytes, columns: Layout) -> Result<Table, TraceError> {
        let buffer = Buffer::from(mapped);
        let batches = batches(&buffer, columns).map_err(wrong(path))?;
        let rows = batches.iter().map(RecordBatch::num_rows).sum();
        let (last, whole) = batches.split_last().map_or((0, &[][..]), |(last, all)| (last.num_rows(), all));
        if last > BATCH || whole.iter().any(|batch| batch.num_rows() != BATCH) {
            return Err(wrong(path)(no("its batches have another length")));
        }
        let mut found = Vec::new();
        for (at, (_, width)) in columns.iter().enumerate() {
            let arrays = batches.iter().map(|batch| batch.column(at));
            found.push(match width {
                Width::Byte => Column::Byte(typed(arrays)),
                Width::Word => Column::Word(typed(arrays)),
                Width::Double => Column::Double(typed(arrays)),
            });
        }
        Ok(Table { columns: found, rows })
    }

    /// Opens a table for replacing single numbers, while no other reader uses the file.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn replacing(path: &Path, columns: Layout) -> Result<TablePatch, TraceError> {
        let mapped = map(path).map_err(TraceError::at(path))?;
        let begin = mapped.as_ptr().addr();
        let table = Table::of(path, mapped, columns)?;
        let file = File::options().write(true).open(path).map_err(TraceError::at(path))?;
        Ok(TablePatch { path: path.to_owned(), table, begin, file })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The number in a column and row; 0 if there is none.
    pub fn get(&self, column: usize, row: usize) -> u64 {
        let (batch, row) = (row / BATCH, row % BATCH);
        match self.columns.get(column) {
            Some(Column::Byte(batches)) => of(batches, batch, row).map_or(0, u64::from),
            Some(Column::Word(batches)) => of(batches, batch, row).map_or(0, u64::from),
            Some(Column::Double(batches)) => of(batches, batch, row).unwrap_or(0),
            None => 0,
        }
    }

    /// The address and size in bytes of a number in a byte or word column.
    fn address(&self, column: usize, row: usize) -> Option<(usize, usize)> {
        let (batch, row) = (row / BATCH, row % BATCH);
        match self.columns.get(column)? {
            Column::Byte(batches) => Some(((&raw const *batches.get(batch)?.values().get(row)?).addr(), 1)),
            Column::Word(batches) => Some(((&raw const *batches.get(batch)?.values().get(row)?).addr(), 4)),
            Column::Double(_) => None,
        }
    }

    /// The number in a byte or word column.
    pub fn word(&self, column: usize, row: usize) -> u32 {
        u32::try_from(self.get(column, row)).unwrap_or(u32::MAX)
    }

    /// The first row that is not less than `wanted`, compared column by column. The table must be sorted by
    /// these columns.
    pub fn lower_bound(&self, wanted: &[u64]) -> usize {
        self.lower_bound_in(0..self.rows, wanted)
    }

    /// Like [`Table::lower_bound`] within some rows; their end if all are less.
    pub fn lower_bound_in(&self, rows: Range<usize>, wanted: &[u64]) -> usize {
        let (mut low, mut high) = (rows.start, rows.end);
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

/// Replaces single numbers of a table.
pub struct TablePatch {
    path: PathBuf,
    table: Table,
    /// The address of the file's first byte in memory.
    begin: usize,
    file: File,
}

impl TablePatch {
    /// Replaces a number in a byte or word column of an existing row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, row: u32, column: usize, word: u32) -> Result<(), TraceError> {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        let (bytes, address) = (word.to_le_bytes(), self.table.address(column, row));
        let found = address.and_then(|(address, width)| {
            Some((u64::try_from(address.checked_sub(self.begin)?).ok()?, bytes.get(..width)?))
        });
        let (place, bytes) = found.ok_or_else(|| wrong(&self.path)(no("a row is missing")))?;
        let written = self.file.seek(SeekFrom::Start(place)).and_then(|_| self.file.write_all(bytes));
        written.map_err(TraceError::at(&self.path))
    }
}

fn no(what: &str) -> ArrowError {
    ArrowError::IpcError(what.to_owned())
}

/// The number in a batch and its row.
fn of<T: arrow_array::ArrowPrimitiveType>(
    batches: &[PrimitiveArray<T>],
    batch: usize,
    row: usize,
) -> Option<T::Native> {
    batches.get(batch).and_then(|batch| batch.values().get(row)).copied()
}

fn typed<'a, T: arrow_array::ArrowPrimitiveType>(
    arrays: impl Iterator<Item = &'a ArrayRef>,
) -> Vec<PrimitiveArray<T>> {
    arrays.filter_map(|array| array.as_any().downcast_ref::<PrimitiveArray<T>>().cloned()).collect()
}

/// Maps a file into memory.
pub fn map(path: &Path) -> std::io::Result<Bytes> {
    let file = files::open_regular(path, false)?;
    // SAFETY: the file is written once, under another name, and readers open it only when it is complete.
    // Another program that changes it later changes numbers only; every position they name is checked before
    // it is read.
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
    let found = footer.schema().ok_or_else(|| no("it has no schema"))?;
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
        let (begin, length) = part().ok_or_else(|| no("a batch lies outside the file"))?;
        let block_of = file.slice_with_length(begin, length);
        if !is_inside(block, &block_of) {
            return Err(no("a column lies outside its batch"));
        }
        batches.extend(decoder.read_record_batch(block, &block_of)?);
    }
    Ok(batches)
}

/// Whether all buffers of a batch lie inside it; the Arrow reader does not check this.
fn is_inside(block: &arrow_ipc::Block, bytes: &[u8]) -> bool {
    let part = || {
        let (head, body) = bytes.split_at_checked(usize::try_from(block.metaDataLength()).ok()?)?;
        // The message follows a four-byte marker and a four-byte length.
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
    use super::super::writer::TableWriter;
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
    fn a_truncated_or_changed_file_is_never_read_out_of_bounds() {
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
        // A changed file is refused or gives other numbers; no read leaves the file.
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
