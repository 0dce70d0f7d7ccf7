//! Divide by YES & query (Silva 2006): divide & query, where a call weighs ½ⁿ after n calls of its method
//! were judged valid.

use super::{Situation, Strategy};
use crate::weights::nearest_to_half;

/// Chooses the call nearest to half of the weight.
pub struct ByYes;

impl Strategy for ByYes {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weight = situation.halved_by_yes();
        nearest_to_half(situation, |row| weight(row.method))
    }
}
