//! More rules first (Silva 2006): top-down, chooses the callee of an invalid call with the most distinct
//! methods in its tree.

use super::super::situation::ByMethod;
use super::{Row, Situation, Strategy, first_of_most};

/// Method numbers below this are looked up in a vector, others in a map.
const PLACES: usize = 1 << 16;

/// Chooses the most diverse callee.
pub struct MoreRulesFirst;

impl Strategy for MoreRulesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let outermost = situation.outermost();
        let mut occurrences = MethodOccurrences::default();
        let mut at = 0;
        let is_new = |row: Row| {
            while outermost.get(at).is_some_and(|outer| *outer <= row.node) {
                at += 1;
            }
            if occurrences.again(row.method, at) { 0.0 } else { 1.0 }
        };
        first_of_most(situation, &outermost, is_new)
    }
}

/// By method: the number of outermost calls before its last occurrence.
#[derive(Default)]
struct MethodOccurrences {
    by_place: Vec<usize>,
    others: ByMethod<usize>,
}

impl MethodOccurrences {
    /// Records that a method occurs after `behind` outermost calls (at least one). Returns true if it has
    /// already occurred after that many.
    fn again(&mut self, method: u32, behind: usize) -> bool {
        match usize::try_from(method) {
            Ok(place) if place < PLACES => {
                if place >= self.by_place.len() {
                    self.by_place.resize(place + 1, 0);
                }
                self.by_place.get_mut(place).map(|last| std::mem::replace(last, behind)) == Some(behind)
            }
            _ => self.others.insert(method, behind) == Some(behind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_counts_once_per_outermost_call() {
        let mut occurrences = MethodOccurrences::default();
        let last = u32::try_from(PLACES).unwrap();
        for method in [0, 7, last - 1, last, u32::MAX] {
            assert_eq!(
                [1, 1, 2, 2, 3].map(|behind| occurrences.again(method, behind)),
                [false, true, false, true, false]
            );
        }
        assert_eq!((occurrences.by_place.len(), occurrences.others.len()), (PLACES, 2));
    }
}
