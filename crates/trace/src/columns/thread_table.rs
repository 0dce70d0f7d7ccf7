//! Writes a table with the rows of one thread after those of another, although the threads' rows come mixed.
//! The rows of the first thread go to the table at once. Those of the others wait in memory, then in a file.

use super::call_table::CallTableWriter;
use super::external_sort::{Run, RunWriter};
use crate::TraceError;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Number of waiting rows that are read at once.
const AT_ONCE: usize = 1 << 12;

/// A table of rows whose first `B` words are known at the start and whose last `E` words at the end. A row's
/// number counts the rows of its thread.
pub struct ThreadTable<const B: usize, const E: usize> {
    folder: PathBuf,
    table: CallTableWriter<B, E>,
    first: u32,
    /// The thread to which rows are added, and its waiting rows unless it is the first one.
    thread: u32,
    now: WaitingRows<B, E>,
    others: BTreeMap<u32, WaitingRows<B, E>>,
    /// Number of rows in memory, over all threads, and their maximum.
    held: usize,
    most: usize,
    /// The rows that did not fit into memory.
    file: Option<(File, u64)>,
    /// Ends that came when their rows were in the file: thread, row and words.
    late: Option<RunWriter>,
}

/// The rows of a thread that is not the first.
struct WaitingRows<const B: usize, const E: usize> {
    /// Parts of the file: offset, and number of rows.
    stored: Vec<(u64, usize)>,
    /// Number of rows in the file.
    before: usize,
    held: Vec<([u32; B], [u32; E])>,
}

impl<const B: usize, const E: usize> Default for WaitingRows<B, E> {
    fn default() -> WaitingRows<B, E> {
        WaitingRows { stored: Vec::new(), before: 0, held: Vec::new() }
    }
}

impl<const B: usize, const E: usize> ThreadTable<B, E> {
    /// Adds rows to a table. `first` must be the lowest number of a thread; other threads' rows take at most
    /// `bytes` bytes of memory, and temporary files in `folder` for the rest.
    pub fn new(table: CallTableWriter<B, E>, folder: &Path, first: u32, bytes: usize) -> ThreadTable<B, E> {
        let most = (bytes / size_of::<([u32; B], [u32; E])>() / 2).max(1);
        ThreadTable {
            folder: folder.to_owned(),
            table,
            first,
            thread: first,
            now: WaitingRows::default(),
            others: BTreeMap::new(),
            held: 0,
            most,
            file: None,
            late: None,
        }
    }

    /// Chooses the thread to which the next rows belong.
    pub fn choose(&mut self, thread: u32) {
        if thread != self.thread {
            let next = self.others.remove(&thread).unwrap_or_default();
            let last = std::mem::replace(&mut self.now, next);
            if self.thread != self.first {
                self.others.insert(self.thread, last);
            }
            self.thread = thread;
        }
    }

    /// Adds a row, whose last words may be replaced later. Returns its number.
    ///
    /// # Errors
    /// Earlier rows cannot be written; [`TraceError::TooManyCalls`] when the numbers run out.
    #[inline]
    pub fn add(&mut self, begun: [u32; B], ended: [u32; E]) -> Result<u32, TraceError> {
        if self.thread == self.first {
            return self.table.add(begun, ended);
        }
        if self.held >= self.most {
            self.store()?;
        }
        let row = u32::try_from(self.now.before + self.now.held.len());
        self.now.held.push((begun, ended));
        self.held += 1;
        row.map_err(|_| TraceError::TooManyCalls)
    }

    /// Replaces the last words of a row.
    ///
    /// # Errors
    /// A word cannot be written.
    pub fn end(&mut self, row: u32, words: [u32; E]) -> Result<(), TraceError> {
        if self.thread == self.first {
            return self.table.end(row, words);
        }
        let place = usize::try_from(row).ok().and_then(|row| row.checked_sub(self.now.before));
        if let Some((_, ended)) = place.and_then(|place| self.now.held.get_mut(place)) {
            *ended = words;
            return Ok(());
        }
        let late = match &mut self.late {
            Some(late) => late,
            none => none.insert(RunWriter::create(&self.folder)?),
        };
        late.push([self.thread, row])?;
        late.words(&words)
    }

    /// Moves the rows in memory to the file.
    fn store(&mut self) -> Result<(), TraceError> {
        let (file, end) = match &mut self.file {
            Some(file) => file,
            none => {
                let made = tempfile::tempfile_in(&self.folder).map_err(TraceError::at(&self.folder))?;
                none.insert((made, 0))
            }
        };
        for rows in std::iter::once(&mut self.now).chain(self.others.values_mut()) {
            if rows.held.is_empty() {
                continue;
            }
            let words = rows.held.iter().flat_map(|(begun, ended)| begun.iter().chain(ended));
            let bytes: Vec<[u8; 4]> = words.map(|word| word.to_le_bytes()).collect();
            file.write_all(bytes.as_flattened()).map_err(TraceError::at(&self.folder))?;
            rows.stored.push((*end, rows.held.len()));
            *end += u64::try_from(bytes.as_flattened().len()).unwrap_or(0);
            rows.before += rows.held.len();
            rows.held = Vec::new();
        }
        self.held = 0;
        Ok(())
    }

    /// Completes the table. `places` has a number for each thread; `moved` adds it to the words of a row that
    /// count something of its thread.
    ///
    /// # Errors
    /// Rows cannot be read or written.
    pub fn finish(
        mut self,
        places: &BTreeMap<u32, u32>,
        moved: impl Fn([u32; B], u32) -> [u32; B],
    ) -> Result<(), TraceError> {
        self.choose(self.first);
        // The number of the first row of each thread.
        let mut begins = BTreeMap::new();
        for (thread, rows) in std::mem::take(&mut self.others) {
            let place = places.get(&thread).copied().unwrap_or(0);
            for (offset, count) in &rows.stored {
                let row = self.add_stored(*offset, *count, |begun| moved(begun, place))?;
                begins.entry(thread).or_insert(row);
            }
            for (begun, ended) in rows.held {
                let row = self.table.add(moved(begun, place), ended)?;
                begins.entry(thread).or_insert(row);
            }
        }
        if let Some(late) = self.late.take() {
            let mut late = late.finish()?;
            while let Some([thread, row]) = late.next()? {
                let words = words_of(&mut late)?;
                let row = begins.get(&thread).and_then(|first| row.checked_add(*first));
                self.table.end(row.ok_or(TraceError::TooManyCalls)?, words)?;
            }
        }
        self.table.finish()
    }

    /// Adds rows that are in the file. Returns the number of the first one.
    fn add_stored(
        &mut self,
        mut offset: u64,
        mut count: usize,
        moved: impl Fn([u32; B]) -> [u32; B],
    ) -> Result<u32, TraceError> {
        let mut first = None;
        let Some((file, _)) = &self.file else { return Ok(0) };
        let mut bytes = Vec::new();
        while count > 0 {
            let rows = count.min(AT_ONCE);
            bytes.resize(rows * (B + E), [0; 4]);
            file.read_exact_at(bytes.as_flattened_mut(), offset).map_err(TraceError::at(&self.folder))?;
            offset += u64::try_from(bytes.len() * 4).unwrap_or(0);
            count -= rows;
            for row in bytes.chunks_exact(B + E) {
                let word = |at: usize| row.get(at).map_or(0, |word| u32::from_le_bytes(*word));
                let (begun, ended) = (std::array::from_fn(word), std::array::from_fn(|at| word(B + at)));
                let added = self.table.add(moved(begun), ended)?;
                first.get_or_insert(added);
            }
        }
        Ok(first.unwrap_or(0))
    }
}

/// The words that follow a thread and a row.
fn words_of<const E: usize>(late: &mut Run) -> Result<[u32; E], TraceError> {
    let words = late.words(E)?;
    Ok(std::array::from_fn(|at| words.get(at).copied().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::arrow_file::{Layout, Width};
    use crate::columns::table::Table;
    use proptest::prelude::*;

    const COLUMNS: Layout = &[("key", Width::Word), ("row", Width::Word), ("end", Width::Word)];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_rows_of_a_thread_follow_those_of_lower_threads(
            steps in prop::collection::vec((1_u32..5, any::<bool>(), 0_u32..20), 0..200),
            memory in 1_usize..300,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("table");
            let table = CallTableWriter::<2, 1>::create(&path, COLUMNS, 1 << 10, Box::new(|_| Ok(()))).unwrap();
            let mut rows = ThreadTable::new(table, folder.path(), 1, memory);
            let mut wanted: BTreeMap<u32, Vec<[u32; 3]>> = BTreeMap::new();
            for (thread, adds, word) in steps {
                rows.choose(thread);
                let of_it = wanted.entry(thread).or_default();
                let count = u32::try_from(of_it.len()).unwrap();
                if adds || count == 0 {
                    prop_assert_eq!(rows.add([word, count], [0]).unwrap(), count);
                    of_it.push([word, count, 0]);
                } else {
                    // Each row ends at most once.
                    let row = word % count;
                    if of_it[row as usize][2] == 0 {
                        rows.end(row, [word + 1]).unwrap();
                        of_it[row as usize][2] = word + 1;
                    }
                }
            }
            let (mut places, mut all) = (BTreeMap::new(), Vec::new());
            for (thread, of_it) in wanted {
                let place = u32::try_from(all.len()).unwrap();
                // What a row counts need not be rows.
                places.insert(thread, 7 * place);
                all.extend(of_it.into_iter().map(|[key, row, end]| [key, row + 7 * place, end]));
            }
            rows.finish(&places, |[key, row], place| [key, row + place]).unwrap();
            let table = Table::open(&path, COLUMNS).unwrap();
            let found: Vec<[u32; 3]> = (0..table.len()).map(|row| [0, 1, 2].map(|column| table.word(column, row))).collect();
            prop_assert_eq!(found, all);
        }
    }
}
