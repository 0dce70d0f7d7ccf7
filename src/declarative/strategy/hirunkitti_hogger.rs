//! Divide & query as Hirunkitti & Hogger 1993 have it, and JHyde §2.4: the call whose tree's weight is
//! nearest to half of all.

use super::{Situation, Strategy};
use crate::declarative::weights::nearest_to_half;

/// Takes the nearest to half.
pub struct HirunkittiHogger;

impl Strategy for HirunkittiHogger {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        nearest_to_half(situation, |_| 1.0)
    }
}
