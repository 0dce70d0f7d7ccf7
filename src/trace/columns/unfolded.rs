//! The table of calls, whose rows are whole when the calls end, in the order in which they began.

use super::sorter::Sorter;
use super::table::{Layout, Table, TableWriter};
use crate::trace::TraceError;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Writes rows whose first words are numbers from 0 on. Nearly all calls end soon: the others are put into the table when it is
/// there.
pub struct Unfolded<const N: usize> {
    path: PathBuf,
    columns: Layout,
    most: usize,
    /// The number of the first row in the window.
    from: u32,
    /// Rows; all 0 before they are whole.
    window: VecDeque<[u32; N]>,
    /// Those before it, as far as they were whole in time.
    table: TableWriter<N>,
    /// The others.
    late: Sorter<N>,
}

impl<const N: usize> Unfolded<N> {
    /// A table in a new file, made with so many bytes of memory at most.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, columns: Layout, bytes: usize) -> Result<Unfolded<N>, TraceError> {
        let most = (bytes / 2 / size_of::<[u32; N]>()).max(1);
        let table = TableWriter::create(path, columns)?;
        let late = Sorter::new(path.parent().unwrap_or(path), bytes / 2);
        Ok(Unfolded { path: path.to_owned(), columns, most, from: 0, window: VecDeque::new(), table, late })
    }

    /// The row with the next number begins.
    ///
    /// # Errors
    /// Others cannot be written.
    pub fn begin(&mut self) -> Result<(), TraceError> {
        if self.window.len() == self.most
            && let Some(row) = self.window.pop_front()
        {
            self.from += 1;
            self.table.push(row)?;
        }
        self.window.push_back([0; N]);
        Ok(())
    }

    /// A row that has begun is whole.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn end(&mut self, row: [u32; N]) -> Result<(), TraceError> {
        let number = row.first().copied().unwrap_or(0);
        let place = number.checked_sub(self.from).and_then(|place| usize::try_from(place).ok());
        match place.and_then(|place| self.window.get_mut(place)) {
            Some(begun) => *begun = row,
            None => self.late.push(row)?,
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
        while let Some(row) = late.next()? {
            let replaces = match &mut replaces {
                Some(replaces) => replaces,
                none => none.insert(Table::replacing(&self.path, self.columns)?),
            };
            replaces.put(row.first().copied().unwrap_or(0), &row)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Width;
    use super::*;
    use proptest::prelude::*;

    const COLUMNS: Layout = &[("node", Width::Word), ("end", Width::Double)];

    proptest! {
        #[test]
        fn calls_come_in_the_order_in_which_they_began(steps: Vec<bool>, most in 1_usize..6) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("calls");
            let mut rows = Unfolded::<3>::create(&path, COLUMNS, most * 24).unwrap();
            let (mut open, mut next) = (Vec::new(), 0);
            let mut ends = Vec::new();
            for enters in steps {
                if enters {
                    rows.begin().unwrap();
                    open.push(next);
                    ends.push(0);
                    next += 1;
                } else if let Some(call) = open.pop() {
                    rows.end([call, next, 7]).unwrap();
                    ends[call as usize] = next;
                }
            }
            while let Some(call) = open.pop() {
                rows.end([call, next, 7]).unwrap();
                ends[call as usize] = next;
            }
            rows.finish().unwrap();
            let table = Table::open(&path, COLUMNS).unwrap();
            let found: Vec<_> = (0..table.len()).map(|row| [table.get(0, row), table.get(1, row)]).collect();
            let wanted = (0..).zip(ends).map(|(call, end)| [call, u64::from(end) << 32 | 7]);
            prop_assert_eq!(found, wanted.collect::<Vec<_>>());
        }
    }
}
