//! Our own: divide & query by edge coverage (JHyde §2.4) over trees in which a recursion is one call. What its steps have covered counts once, for the
//! call that begins it: code that a recursion runs often is not more likely to be wrong for that, and no question is spent on finding out which step of a method
//! is wrong when all of them are that method's.
//!
//! Nor is one spent on a call that does little itself, where one below it does nearly all of it: if that one is wrong, it would have to be asked about next; if
//! it is right, hardly anything is left of the outer one.

use super::by_coverage::{ByCoverage, EDGES};
use super::{Situation, Strategy};
use crate::declarative::weights::Weights;

/// A call with so much of what the one above it weighs is asked about in its place.
const NEARLY_ALL: f64 = 0.7;

/// Takes the nearest to half of the weight, or what is nearly all of that. That recursions are one call is what its row says.
pub struct Foremost;

impl Strategy for Foremost {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        let weights = Weights::of(situation, ByCoverage { p: EDGES }.own(situation));
        let mut chosen = weights.nearest(weights.all() / 2.0)?;
        while let Some(below) = weights.most_of(chosen, NEARLY_ALL) {
            chosen = below;
        }
        Some(chosen)
    }
}
