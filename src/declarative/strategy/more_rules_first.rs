//! More rules first (Silva 2006): top-down, and of the calls of an invalid one that with most different methods in its tree.

use super::{Row, Situation, Strategy, first_of_most};

/// Takes the most diverse.
pub struct MoreRulesFirst;

impl Strategy for MoreRulesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let outermost = situation.outermost();
        // By method: behind how many of them it was met last.
        let mut met: Vec<usize> = Vec::new();
        let mut at = 0;
        let is_new = |row: Row| {
            while outermost.get(at).is_some_and(|outer| *outer <= row.node) {
                at += 1;
            }
            let method = usize::try_from(row.method).unwrap_or(0);
            if met.len() <= method {
                met.resize(method + 1, 0);
            }
            let is_known = met.get_mut(method).is_some_and(|last| std::mem::replace(last, at) == at);
            if is_known { 0.0 } else { 1.0 }
        };
        first_of_most(situation, &outermost, is_new)
    }
}
