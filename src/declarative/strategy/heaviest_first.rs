//! Heaviest first (Binks 1995): top-down, and of the calls of an invalid one that with most suspicious calls
//! in its tree.

use super::{Situation, Strategy, first_of_most};

/// Takes the heaviest.
pub struct HeaviestFirst;

impl Strategy for HeaviestFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        first_of_most(situation, &situation.outermost(), |_| 1.0)
    }
}
