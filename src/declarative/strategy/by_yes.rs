//! Divide by YES & query (Silva 2006): divide & query, where a call weighs half for each call of its method
//! that was said to be valid.

use super::{Situation, Strategy};
use crate::declarative::weights::nearest_to_half;

/// Takes the nearest to half of what was not said to be right.
pub struct ByYes;

impl Strategy for ByYes {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weight = situation.halved_by_yes();
        nearest_to_half(situation, |row| weight(row.method))
    }
}
