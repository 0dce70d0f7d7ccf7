//! Less YES first (Silva 2006): heaviest first, where a call weighs ½ⁿ after n calls of its method were
//! judged valid.

use super::{Situation, Strategy, first_of_most};

/// Chooses the heaviest callee, discounting methods judged valid.
pub struct LessYesFirst;

impl Strategy for LessYesFirst {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weight = situation.halved_by_yes();
        first_of_most(situation, &situation.outermost(), |row| weight(row.method))
    }
}
