//! Top-down (Av-Ron 1984): the calls of an invalid call, one after the other.

use super::{Situation, Strategy};

/// Takes the first.
pub struct TopDown;

impl Strategy for TopDown {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        situation.outermost_in_turn().next()
    }
}
