//! Heaviest first (Binks 1995): top-down, chooses the callee of an invalid call with the most suspicious
//! calls in its tree.

use super::{Situation, Strategy, first_of_most};

/// Chooses the heaviest callee.
pub struct HeaviestFirst;

impl Strategy for HeaviestFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        first_of_most(situation, &situation.outermost(), |_| 1.0)
    }
}
