//! Rows of calls, which are whole when their calls end, in the order in which the calls began.

use super::sorter::{RunWriter, Sorted, Sorter};
use crate::trace::TraceError;
use std::collections::VecDeque;
use std::path::Path;

/// Takes rows whose first words are numbers from 0 on. Nearly all calls end soon, so little has to be sorted.
pub struct Unfolded<const N: usize> {
    most: usize,
    /// The number of the first row in the window.
    from: u32,
    /// Rows, and whether each is whole.
    window: VecDeque<(bool, [u32; N])>,
    /// Those before it that were whole in time.
    early: RunWriter,
    /// The others.
    late: Sorter<N>,
}

impl<const N: usize> Unfolded<N> {
    /// One that takes so many bytes of memory at most, and the rest in the file system of a folder.
    ///
    /// # Errors
    /// There is no place for a file.
    pub fn new(folder: &Path, bytes: usize) -> Result<Unfolded<N>, TraceError> {
        let most = (bytes / 2 / size_of::<(bool, [u32; N])>()).max(1);
        let (early, late) = (RunWriter::create(folder)?, Sorter::new(folder, bytes / 2));
        Ok(Unfolded { most, from: 0, window: VecDeque::new(), early, late })
    }

    /// The row with the next number begins.
    ///
    /// # Errors
    /// Others cannot be written.
    pub fn begin(&mut self) -> Result<(), TraceError> {
        if self.window.len() == self.most {
            self.pass()?;
        }
        self.window.push_back((false, [0; N]));
        Ok(())
    }

    /// The first of the window goes out of it.
    fn pass(&mut self) -> Result<(), TraceError> {
        if let Some((is_whole, row)) = self.window.pop_front() {
            self.from += 1;
            if is_whole {
                self.early.push(row)?;
            }
        }
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
            Some(begun) => *begun = (true, row),
            None => self.late.push(row)?,
        }
        Ok(())
    }

    /// All rows that are whole, by number.
    ///
    /// # Errors
    /// They cannot be read again.
    pub fn sorted(mut self) -> Result<Sorted<N>, TraceError> {
        while !self.window.is_empty() {
            self.pass()?;
        }
        self.late.add(self.early.finish()?);
        self.late.sorted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn calls_come_in_the_order_in_which_they_began(steps: Vec<bool>, most in 1_usize..6) {
            let folder = tempfile::tempdir().unwrap();
            let mut rows = Unfolded::<2>::new(folder.path(), most * 24).unwrap();
            let (mut open, mut next) = (Vec::new(), 0);
            for enters in steps {
                if enters {
                    rows.begin().unwrap();
                    open.push(next);
                    next += 1;
                } else if let Some(call) = open.pop() {
                    rows.end([call, next]).unwrap();
                }
            }
            while let Some(call) = open.pop() {
                rows.end([call, next]).unwrap();
            }
            let mut sorted = rows.sorted().unwrap();
            for call in 0..next {
                prop_assert_eq!(sorted.next().unwrap().map(|row| row[0]), Some(call));
            }
            prop_assert_eq!(sorted.next().unwrap(), None);
        }
    }
}
