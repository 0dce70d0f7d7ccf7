//! Less YES first (Silva 2006): heaviest first, where a call weighs half for each call of its method that was
//! said to be valid.

use super::{Situation, Strategy, first_of_most};

/// Takes the heaviest of what was least said to be right.
pub struct LessYesFirst;

impl Strategy for LessYesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weight = situation.halved_by_yes();
        first_of_most(situation, &situation.outermost(), |row| weight(row.method))
    }
}
