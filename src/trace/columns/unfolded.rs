//! The table of calls, whose rows are whole when the calls end, in the order in which they began.

use super::sorter::Sorter;
use super::table::{Layout, Table, TableWriter};
use crate::trace::TraceError;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// No more rows wait until they are whole: a processor has these at hand.
const WINDOW: usize = 1 << 15;

/// Writes rows, whose first words are numbers from 0 on. As a row begins, some of its words are known, and the others when it ends. Nearly
/// all calls end soon: what is known of the others at their end is put into the table when it is there.
pub struct Unfolded<const N: usize, const E: usize> {
    path: PathBuf,
    columns: Layout,
    /// The words that are known at the end: the number of the row, and further ones.
    ends: [usize; E],
    most: usize,
    /// The number of the first row in the window.
    from: u32,
    /// Rows that have begun.
    window: VecDeque<[u32; N]>,
    /// Those before it.
    table: TableWriter<N>,
    /// What is known of those at their ends.
    late: Sorter<E>,
}

impl<const N: usize, const E: usize> Unfolded<N, E> {
    /// A table in a new file, made with so many bytes of memory at most. Each column is one word wide.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(
        path: &Path,
        columns: Layout,
        ends: [usize; E],
        bytes: usize,
    ) -> Result<Unfolded<N, E>, TraceError> {
        let most = (bytes / 2 / size_of::<[u32; N]>()).clamp(1, WINDOW);
        let table = TableWriter::create(path, columns)?;
        let late = Sorter::new(path.parent().unwrap_or(path), bytes / 2);
        let (path, window) = (path.to_owned(), VecDeque::new());
        Ok(Unfolded { path, columns, ends, most, from: 0, window, table, late })
    }

    /// The row with the next number begins.
    ///
    /// # Errors
    /// Others cannot be written.
    #[inline]
    pub fn begin(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        if self.window.len() == self.most {
            self.shift()?;
        }
        self.window.push_back(row);
        Ok(())
    }

    /// The first row leaves the window.
    fn shift(&mut self) -> Result<(), TraceError> {
        let Some(row) = self.window.pop_front() else { return Ok(()) };
        self.from += 1;
        self.table.push(row)
    }

    /// A row that has begun ends.
    ///
    /// # Errors
    /// It cannot be written.
    #[inline]
    pub fn end(&mut self, words: [u32; E]) -> Result<(), TraceError> {
        let number = words.first().copied().unwrap_or(0);
        let place = number.checked_sub(self.from).and_then(|place| usize::try_from(place).ok());
        let Some(row) = place.and_then(|place| self.window.get_mut(place)) else {
            return self.late.push(words);
        };
        for (column, word) in self.ends.iter().zip(words) {
            if let Some(place) = row.get_mut(*column) {
                *place = word;
            }
        }
        Ok(())
    }

    /// All rows are whole.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.window.into_iter().try_for_each(|row| self.table.push(row))?;
        self.table.finish()?;
        let mut late = self.late.sorted()?;
        let mut replaces = None;
        while let Some(words) = late.next()? {
            let replaces = match &mut replaces {
                Some(replaces) => replaces,
                none => none.insert(Table::replacing(&self.path, self.columns)?),
            };
            let row = words.first().copied().unwrap_or(0);
            for (column, word) in self.ends.iter().zip(words).skip(1) {
                replaces.put(row, *column, word)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Width;
    use super::*;
    use proptest::prelude::*;

    const COLUMNS: Layout = &[("node", Width::Word), ("end", Width::Word), ("begun", Width::Word)];

    proptest! {
        #[test]
        fn calls_come_in_the_order_in_which_they_began(steps: Vec<bool>, most in 1_usize..6) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("calls");
            let mut rows = Unfolded::<3, 2>::create(&path, COLUMNS, [0, 1], most * 24).unwrap();
            let (mut open, mut next) = (Vec::new(), 0);
            let mut ends = Vec::new();
            for enters in steps {
                if enters {
                    rows.begin([next, 0, 7 * next]).unwrap();
                    open.push(next);
                    ends.push(0);
                    next += 1;
                } else if let Some(call) = open.pop() {
                    rows.end([call, next]).unwrap();
                    ends[call as usize] = next;
                }
            }
            while let Some(call) = open.pop() {
                rows.end([call, next]).unwrap();
                ends[call as usize] = next;
            }
            rows.finish().unwrap();
            let table = Table::open(&path, COLUMNS).unwrap();
            let found: Vec<_> = (0..table.len()).map(|row| [0, 1, 2].map(|column| table.word(column, row))).collect();
            let wanted = (0..).zip(ends).map(|(call, end)| [call, end, 7 * call]);
            prop_assert_eq!(found, wanted.collect::<Vec<_>>());
        }
    }
}
