//! A table in an Arrow IPC file: rows of unsigned integers, mapped into memory.

use super::arrow_file::{Layout, Width, batches};
use crate::TraceError;
use bytes::Bytes;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Number of rows in each batch except the last.
pub const BATCH: usize = 1 << 16;

/// The high and the low word of a number, as a row has them.
pub fn halves(number: u64) -> [u32; 2] {
    let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or(0);
    [half(number >> 32), half(number)]
}

fn wrong(path: &Path, why: &'static str) -> TraceError {
    TraceError::at(path)(std::io::Error::other(why))
}

/// An opened table. A copy reads the same memory.
#[derive(Clone)]
pub struct Table {
    file: Bytes,
    columns: Vec<Column>,
    rows: usize,
}

/// A column: for each batch, where in the file its numbers begin.
#[derive(Clone)]
struct Column {
    width: Width,
    batches: Vec<usize>,
}

impl Table {
    /// Maps a table's file into memory.
    ///
    /// # Errors
    /// The file cannot be read or is no such table.
    pub fn open(path: &Path, columns: Layout) -> Result<Table, TraceError> {
        let file = map(path).map_err(TraceError::at(path))?;
        let batches = batches(&file, columns).map_err(|why| wrong(path, why))?;
        let rows = batches.iter().map(|batch| batch.rows).sum();
        let (last, whole) = batches.split_last().map_or((0, &[][..]), |(last, all)| (last.rows, all));
        if last > BATCH || whole.iter().any(|batch| batch.rows != BATCH) {
            return Err(wrong(path, "its batches have another length"));
        }
        let column = |(at, (_, width)): (usize, &(&str, Width))| Column {
            width: *width,
            batches: batches.iter().filter_map(|batch| batch.columns.get(at).copied()).collect(),
        };
        Ok(Table { columns: columns.iter().enumerate().map(column).collect(), file, rows })
    }

    /// Opens a table for replacing single numbers, while no other reader uses the file.
    ///
    /// # Errors
    /// As for [`Table::open`].
    pub fn replacing(path: &Path, columns: Layout) -> Result<TablePatch, TraceError> {
        let table = Table::open(path, columns)?;
        let file = File::options().write(true).open(path).map_err(TraceError::at(path))?;
        Ok(TablePatch { path: path.to_owned(), table, file })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// The number in a column and row; 0 if there is none.
    pub fn get(&self, column: usize, row: usize) -> u64 {
        self.number(column, row).unwrap_or(0)
    }

    fn number(&self, column: usize, row: usize) -> Option<u64> {
        let (place, width) = self.place(column, row)?;
        let bytes = self.file.get(place..)?;
        Some(match width {
            Width::Byte => u64::from(*bytes.first()?),
            Width::Word => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
            Width::Double => u64::from_le_bytes(*bytes.first_chunk()?),
        })
    }

    /// The position in the file of the number in a column and row, and its width.
    fn place(&self, column: usize, row: usize) -> Option<(usize, Width)> {
        let Column { width, batches } = self.columns.get(column).filter(|_| row < self.rows)?;
        Some((batches.get(row / BATCH)? + row % BATCH * width.bytes(), *width))
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
    file: File,
}

impl TablePatch {
    /// Replaces a number in a byte or word column of an existing row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, row: u32, column: usize, word: u32) -> Result<(), TraceError> {
        let row = usize::try_from(row).unwrap_or(usize::MAX);
        let (place, width) =
            self.table.place(column, row).ok_or_else(|| wrong(&self.path, "a row is missing"))?;
        let bytes = word.to_le_bytes();
        let bytes = bytes.get(..width.bytes()).ok_or_else(|| wrong(&self.path, "the column is too wide"))?;
        let place = SeekFrom::Start(u64::try_from(place).unwrap_or(u64::MAX));
        let written = self.file.seek(place).and_then(|_| self.file.write_all(bytes));
        written.map_err(TraceError::at(&self.path))
    }
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
