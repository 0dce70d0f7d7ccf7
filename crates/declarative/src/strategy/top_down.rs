//! Top-down (Av-Ron 1984): asks about the callees of an invalid call in order.

use super::{Situation, Strategy};

/// Chooses the first callee.
pub struct TopDown;

impl Strategy for TopDown {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        situation.outermost_in_turn().next()
    }
}
