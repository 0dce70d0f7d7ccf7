//! The set of calls that can be judged, independent of the answers about them. Counts them in a range and
//! finds the next one without visiting every call.

use std::ops::Range;

const BITS: usize = 64;

/// A bit per call, and the number of set bits before each word (rank and select).
#[derive(Clone, Debug, Default)]
pub struct JudgeableCalls {
    words: Vec<u64>,
    before: Vec<u32>,
}

impl JudgeableCalls {
    /// Builds the set from one flag per call.
    pub fn of(calls: impl Iterator<Item = bool>) -> JudgeableCalls {
        let mut made = JudgeableCalls::default();
        for (at, is_countable) in calls.enumerate() {
            if at % BITS == 0 {
                made.words.push(0);
            }
            if let Some(word) = made.words.last_mut() {
                *word |= u64::from(is_countable) << (at % BITS);
            }
        }
        let mut sum = 0;
        made.before = Vec::with_capacity(made.words.len());
        for word in &made.words {
            made.before.push(sum);
            sum += word.count_ones();
        }
        made
    }

    /// Number of judgeable calls before a call.
    fn rank(&self, call: u32) -> u64 {
        let at = usize::try_from(call).unwrap_or(usize::MAX);
        let place = (at / BITS).min(self.words.len());
        match (self.words.get(place), self.before.get(place)) {
            (Some(word), Some(before)) => {
                let below = word & ((1 << (at % BITS)) - 1);
                u64::from(*before) + u64::from(below.count_ones())
            }
            _ => self
                .words
                .last()
                .zip(self.before.last())
                .map_or(0, |(word, before)| u64::from(*before) + u64::from(word.count_ones())),
        }
    }

    /// Number of judgeable calls in a range.
    pub fn count(&self, calls: Range<u32>) -> u64 {
        self.rank(calls.end).saturating_sub(self.rank(calls.start))
    }

    /// The first judgeable call at or after `from`.
    pub fn next(&self, from: u32) -> Option<u32> {
        let at = usize::try_from(from).ok()?;
        let mut place = at / BITS;
        let mut word = self.words.get(place)? & (u64::MAX << (at % BITS));
        // Skip empty words by their prefix counts.
        if word == 0 {
            let before = *self.before.get(place)?;
            let upto = before + self.words.get(place)?.count_ones();
            let behind = self.before.get(place + 1..)?.partition_point(|sum| *sum <= upto);
            place += behind;
            word = if behind == 0 { 0 } else { *self.words.get(place)? };
        }
        if word == 0 {
            return None;
        }
        let bit = usize::try_from(word.trailing_zeros()).ok()?;
        u32::try_from(place * BITS + bit).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counting_and_searching_equal_a_linear_scan(
            calls in prop::collection::vec(prop_oneof![4 => Just(false), 1 => any::<bool>()], 0..700),
            from in 0u32..800,
            to in 0u32..800,
        ) {
            let judgeable = JudgeableCalls::of(calls.iter().copied());
            let all = || (0u32..).zip(&calls).filter(|(_, is)| **is).map(|(at, _)| at);
            let inside = all().filter(|at| (from..to).contains(at)).count();
            prop_assert_eq!(judgeable.count(from..to), inside as u64);
            prop_assert_eq!(judgeable.next(from), all().find(|at| *at >= from));
        }
    }
}
