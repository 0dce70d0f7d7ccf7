//! Writes the table of calls in order of entry, although the last columns of a row are known only at the
//! call's end.

use super::arrow_file::Layout;
use super::external_sort::Sorter;
use super::table::{BATCH, Table};
use super::writer::{BatchObserver, WordsWriter};
use crate::TraceError;
use std::path::{Path, PathBuf};

/// Writes rows whose first `B` words are known at the start and whose last `E` words at the end. Most calls
/// end soon; the words of the others are patched into the finished table.
pub struct CallTableWriter<const B: usize, const E: usize> {
    path: PathBuf,
    columns: Layout,
    /// The current batch and the one before it.
    now: Batch<B, E>,
    before: Option<Batch<B, E>>,
    /// The earlier batches.
    table: WordsWriter,
    /// Words that came too late for their batch: row, column and word.
    late: Sorter<3>,
}

/// Consecutive rows, by column.
struct Batch<const B: usize, const E: usize> {
    /// The number of the first row.
    from: u32,
    begun: [Vec<u32>; B],
    ended: [Vec<u32>; E],
}

impl<const B: usize, const E: usize> Batch<B, E> {
    fn new(from: u32) -> Batch<B, E> {
        let begun = std::array::from_fn(|_| Vec::with_capacity(BATCH));
        Batch { from, begun, ended: std::array::from_fn(|_| vec![0; BATCH]) }
    }

    fn len(&self) -> usize {
        self.begun.first().map_or(0, Vec::len)
    }

    /// The index of a row in this batch.
    fn place(&self, row: u32) -> Option<usize> {
        let place = usize::try_from(row.checked_sub(self.from)?).ok()?;
        (place < self.len()).then_some(place)
    }

    fn end(&mut self, place: usize, words: [u32; E]) {
        for (column, word) in self.ended.iter_mut().zip(words) {
            if let Some(place) = column.get_mut(place) {
                *place = word;
            }
        }
    }

    fn columns(mut self) -> Vec<Vec<u32>> {
        let rows = self.len();
        self.ended.iter_mut().for_each(|column| column.truncate(rows));
        self.begun.into_iter().chain(self.ended).collect()
    }
}

impl<const B: usize, const E: usize> CallTableWriter<B, E> {
    /// Creates the file. Late words take at most `bytes` bytes of memory besides two batches. No column may
    /// be wider than one word. The writing thread shows each batch to `tap`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(
        path: &Path,
        columns: Layout,
        bytes: usize,
        tap: BatchObserver,
    ) -> Result<CallTableWriter<B, E>, TraceError> {
        let table = WordsWriter::create(path, columns, tap)?;
        let late = Sorter::new(path.parent().unwrap_or(path), bytes);
        Ok(CallTableWriter { path: path.to_owned(), columns, now: Batch::new(0), before: None, table, late })
    }

    /// Starts a row and returns its number.
    ///
    /// # Errors
    /// An earlier batch cannot be written; [`TraceError::TooManyCalls`] when the numbers run out.
    #[inline]
    pub fn begin(&mut self, words: [u32; B]) -> Result<u32, TraceError> {
        if self.now.len() == BATCH {
            self.shift()?;
        }
        let row = self.now.from + u32::try_from(self.now.len()).unwrap_or(0);
        for (column, word) in self.now.begun.iter_mut().zip(words) {
            column.push(word);
        }
        Ok(row)
    }

    /// Adds a row whose words are all known, or are completed later.
    ///
    /// # Errors
    /// As for [`CallTableWriter::begin`].
    #[inline]
    pub fn add(&mut self, begun: [u32; B], ended: [u32; E]) -> Result<u32, TraceError> {
        let row = self.begin(begun)?;
        let place = self.now.len() - 1;
        self.now.end(place, ended);
        Ok(row)
    }

    /// Starts a new batch.
    #[cold]
    fn shift(&mut self) -> Result<(), TraceError> {
        let rows = u32::try_from(BATCH).unwrap_or(0);
        let Some(next) = self.now.from.checked_add(rows).filter(|next| next.checked_add(rows).is_some())
        else {
            return Err(TraceError::TooManyCalls);
        };
        let full = std::mem::replace(&mut self.now, Batch::new(next));
        let before = self.before.replace(full);
        before.map_or(Ok(()), |batch| self.table.write(batch.columns()))
    }

    /// Completes a row.
    ///
    /// # Errors
    /// A late word cannot be written.
    #[inline]
    pub fn end(&mut self, row: u32, words: [u32; E]) -> Result<(), TraceError> {
        if let Some(place) = self.now.place(row) {
            self.now.end(place, words);
            return Ok(());
        }
        self.end_before(row, words)
    }

    fn end_before(&mut self, row: u32, words: [u32; E]) -> Result<(), TraceError> {
        if let Some(batch) = &mut self.before
            && let Some(place) = batch.place(row)
        {
            batch.end(place, words);
            return Ok(());
        }
        let first = u32::try_from(B).unwrap_or(0);
        (first..).zip(words).try_for_each(|(column, word)| self.late.push([row, column, word]))
    }

    /// Completes the table.
    ///
    /// # Errors
    /// The remaining rows cannot be written.
    pub fn finish(mut self) -> Result<(), TraceError> {
        for batch in self.before.into_iter().chain([self.now]).filter(|batch| batch.len() > 0) {
            self.table.write(batch.columns())?;
        }
        self.table.finish()?;
        let mut late = self.late.sorted()?;
        let mut replaces = None;
        while let Some([row, column, word]) = late.next()? {
            let replaces = match &mut replaces {
                Some(replaces) => replaces,
                none => none.insert(Table::replacing(&self.path, self.columns)?),
            };
            replaces.put(row, usize::try_from(column).unwrap_or(usize::MAX), word)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::arrow_file::Width;
    use proptest::prelude::*;
    use std::sync::{Arc, Mutex};

    const COLUMNS: Layout = &[("begun", Width::Word), ("end", Width::Word), ("how", Width::Byte)];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn calls_come_in_the_order_in_which_they_began(runs in prop::collection::vec((any::<bool>(), 1_u32..150_000), 1..6), memory in 1_usize..40_000) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("calls");
            let shown: Arc<Mutex<Vec<u32>>> = Arc::default();
            let taken = shown.clone();
            let tap: BatchObserver = Box::new(move |columns| { taken.lock().unwrap().extend(&columns[0]); Ok(()) });
            let mut rows = CallTableWriter::<1, 2>::create(&path, COLUMNS, memory, tap).unwrap();
            let (mut open, mut next) = (Vec::new(), 0);
            let mut ends = Vec::new();
            for (enters, times) in runs {
                for _ in 0..times {
                    if enters {
                        prop_assert_eq!(rows.begin([7 * next]).unwrap(), next);
                        open.push(next);
                        ends.push((0, 0));
                        next += 1;
                    } else if let Some(call) = open.pop() {
                        rows.end(call, [next, call % 5]).unwrap();
                        ends[call as usize] = (next, call % 5);
                    }
                }
            }
            rows.finish().unwrap();
            let table = Table::open(&path, COLUMNS).unwrap();
            prop_assert_eq!(table.len(), ends.len());
            for (row, (end, how)) in ends.iter().enumerate() {
                let found = [0, 1, 2].map(|column| table.word(column, row));
                prop_assert_eq!(found, [7 * u32::try_from(row).unwrap(), *end, *how]);
            }
            prop_assert_eq!(shown.lock().unwrap().iter().copied().collect::<Vec<_>>(), (0..next).map(|row| 7 * row).collect::<Vec<_>>());
        }
    }
}
