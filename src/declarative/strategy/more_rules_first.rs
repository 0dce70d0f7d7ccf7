//! More rules first (Silva 2006): top-down, and of the calls of an invalid one that with most different
//! methods in its tree.

use super::super::situation::OfMethods;
use super::{Row, Situation, Strategy, first_of_most};

/// Methods with lower numbers are looked up by their place.
const PLACES: usize = 1 << 16;

/// Takes the most diverse.
pub struct MoreRulesFirst;

impl Strategy for MoreRulesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let outermost = situation.outermost();
        let mut met = Met::default();
        let mut at = 0;
        let is_new = |row: Row| {
            while outermost.get(at).is_some_and(|outer| *outer <= row.node) {
                at += 1;
            }
            if met.again(row.method, at) { 0.0 } else { 1.0 }
        };
        first_of_most(situation, &outermost, is_new)
    }
}

/// By method: behind how many of the outermost calls it was met last.
#[derive(Default)]
struct Met {
    by_place: Vec<usize>,
    others: OfMethods<usize>,
}

impl Met {
    /// A method is met behind so many, one at least: whether that is so once more.
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
    fn methods_are_met_once_behind_each_call() {
        let mut met = Met::default();
        let last = u32::try_from(PLACES).unwrap();
        for method in [0, 7, last - 1, last, u32::MAX] {
            assert_eq!(
                [1, 1, 2, 2, 3].map(|behind| met.again(method, behind)),
                [false, true, false, true, false]
            );
        }
        assert_eq!((met.by_place.len(), met.others.len()), (PLACES, 2));
    }
}
