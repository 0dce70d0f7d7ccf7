//! Top-down zooming (Maeji & Kanamori 1987): asks about recursive calls first, so that the user looks at one
//! method for as long as possible.

use super::{Situation, Strategy};

/// Chooses the first callee of the invalid call's method, or else the first callee.
pub struct Zooming;

impl Strategy for Zooming {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let method = situation.suspects.innermost_invalid().map(|invalid| situation.forest.method(invalid));
        let is_same = |node: &u32| Some(situation.forest.method(*node)) == method;
        situation.outermost_in_turn().find(is_same).or_else(|| situation.outermost_in_turn().next())
    }
}
