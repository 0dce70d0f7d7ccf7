//! Divide & query as in Hirunkitti & Hogger 1993 and JHyde §2.4: chooses the call whose tree's weight is
//! nearest to half of the total.

use super::{Situation, Strategy};
use crate::weights::nearest_to_half;

/// Chooses the call nearest to half.
pub struct HirunkittiHogger;

impl Strategy for HirunkittiHogger {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        nearest_to_half(situation, |_| 1.0)
    }
}
