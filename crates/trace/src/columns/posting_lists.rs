//! Ascending integers grouped by a small integer key.

use super::external_sort::{Run, RunWriter};
use crate::TraceError;
use std::path::{Path, PathBuf};

/// Maximum number of integers that follow one header in a run.
const AT_ONCE: usize = 1 << 12;

/// Collects ascending integers, each with its group.
pub struct PostingLists {
    folder: PathBuf,
    most: usize,
    held: usize,
    /// The integers in memory, by group.
    groups: Vec<Vec<u32>>,
    /// The integers that did not fit: for each piece its group, its length and its integers.
    runs: Vec<Run>,
}

impl PostingLists {
    /// Creates lists that use at most `bytes` bytes of memory, and temporary files in `folder` for the rest.
    pub fn new(folder: &Path, bytes: usize) -> PostingLists {
        // A growing vector can hold twice its contents, plus the previous buffer.
        let most = (bytes / size_of::<u32>() / 3).max(1);
        PostingLists { folder: folder.to_owned(), most, held: 0, groups: Vec::new(), runs: Vec::new() }
    }

    /// Adds consecutive integers from `first` on, with the group of each.
    ///
    /// # Errors
    /// A run cannot be written.
    pub fn push(&mut self, first: u32, groups: &[u32]) -> Result<(), TraceError> {
        let mut next = first;
        let mut rest = groups;
        while !rest.is_empty() {
            if self.held >= self.most {
                self.spill()?;
            }
            let (now, later) = rest.split_at(rest.len().min(self.most - self.held));
            rest = later;
            self.held += now.len();
            for group in now {
                let group = usize::try_from(*group).unwrap_or(usize::MAX);
                if self.groups.len() <= group {
                    self.groups.resize_with(group + 1, Vec::new);
                }
                self.groups[group].push(next);
                next = next.wrapping_add(1);
            }
        }
        Ok(())
    }

    /// Moves the integers in memory to a run.
    fn spill(&mut self) -> Result<(), TraceError> {
        let mut run = RunWriter::create(&self.folder)?;
        for (group, numbers) in (0..).zip(std::mem::take(&mut self.groups)) {
            for some in numbers.chunks(AT_ONCE) {
                run.push([group, u32::try_from(some.len()).unwrap_or(0)])?;
                run.words(some)?;
            }
        }
        self.runs.push(run.finish()?);
        self.held = 0;
        Ok(())
    }

    /// Passes all integers to `take`, group by group and ascending. A group may come in several pieces.
    ///
    /// # Errors
    /// A run cannot be read, or `take` fails.
    pub fn each(self, mut take: impl FnMut(u32, &[u32]) -> Result<(), TraceError>) -> Result<(), TraceError> {
        let mut runs = Vec::new();
        for mut run in self.runs {
            runs.push((run.next::<2>()?, run));
        }
        let mut held = self.groups.into_iter();
        for group in 0.. {
            // Earlier runs hold lower integers.
            for (next, run) in &mut runs {
                while let Some([_, many]) = next.filter(|[of, _]| *of == group) {
                    take(group, &run.words(usize::try_from(many).unwrap_or(0))?)?;
                    *next = run.next()?;
                }
            }
            match held.next() {
                Some(numbers) => take(group, &numbers)?,
                None if runs.iter().all(|(next, _)| next.is_none()) => break,
                None => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_by_groups(groups in proptest::collection::vec(0_u32..5, 0..60), most in 1_usize..9, at_once in 1_usize..20) {
            let folder = tempfile::tempdir().unwrap();
            let mut grouped = PostingLists::new(folder.path(), most * 12);
            let mut wanted = Vec::new();
            for some in groups.chunks(at_once) {
                let first = u32::try_from(wanted.len()).unwrap();
                grouped.push(first, some).unwrap();
                wanted.extend((first..).zip(some).map(|(number, group)| [*group, number]));
            }
            wanted.sort_unstable();
            let mut found = Vec::new();
            let take = |group, numbers: &[u32]| { found.extend(numbers.iter().map(|number| [group, *number])); Ok(()) };
            grouped.each(take).unwrap();
            prop_assert_eq!(found, wanted);
        }
    }
}
