//! Rising numbers, by groups, whose numbers are low.

use super::external_sort::{Run, RunWriter};
use crate::trace::TraceError;
use std::path::{Path, PathBuf};

/// So many numbers of a group stand one behind the other in a file.
const AT_ONCE: usize = 1 << 12;

/// Takes numbers that rise, each of one group.
pub struct PostingLists {
    folder: PathBuf,
    most: usize,
    held: usize,
    /// The numbers of each group.
    groups: Vec<Vec<u32>>,
    /// What did not fit: each a group and how many numbers, and these.
    runs: Vec<Run>,
}

impl PostingLists {
    /// One that takes so many bytes of memory at most, and the rest in the file system of a folder.
    pub fn new(folder: &Path, bytes: usize) -> PostingLists {
        // A vector that grows may hold twice as much as is in it, and the one before that.
        let most = (bytes / size_of::<u32>() / 3).max(1);
        PostingLists { folder: folder.to_owned(), most, held: 0, groups: Vec::new(), runs: Vec::new() }
    }

    /// Further numbers, from one on, and the group of each.
    ///
    /// # Errors
    /// They cannot be written.
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

    /// What is held goes to a file.
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

    /// Gives all, group by group, the numbers of each in their order: many at once, but not always all of a
    /// group.
    ///
    /// # Errors
    /// They cannot be read again, or whoever takes them says so.
    pub fn each(self, mut take: impl FnMut(u32, &[u32]) -> Result<(), TraceError>) -> Result<(), TraceError> {
        let mut runs = Vec::new();
        for mut run in self.runs {
            runs.push((run.next::<2>()?, run));
        }
        let mut held = self.groups.into_iter();
        for group in 0.. {
            // Each run was written before the next: so its numbers are lower.
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
