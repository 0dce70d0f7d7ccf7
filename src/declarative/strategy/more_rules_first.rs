//! More rules first (Silva 2006): top-down, and of the calls of an invalid one that with most different methods in its tree.

use super::super::situation::OfMethods;
use super::{Row, Situation, Strategy, first_of_most};

/// Takes the most diverse.
pub struct MoreRulesFirst;

impl Strategy for MoreRulesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let outermost = situation.outermost();
        // By method: behind how many of them it was met last.
        let mut met: OfMethods<usize> = OfMethods::default();
        let mut at = 0;
        let is_new = |row: Row| {
            while outermost.get(at).is_some_and(|outer| *outer <= row.node) {
                at += 1;
            }
            let is_known = met.insert(row.method, at) == Some(at);
            if is_known { 0.0 } else { 1.0 }
        };
        first_of_most(situation, &outermost, is_new)
    }
}
