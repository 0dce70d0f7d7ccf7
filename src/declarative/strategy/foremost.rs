//! Our own: the call whose answer leaves least to be found out, as far as one can expect that (`odds`), over
//! trees in which a recursion is one call. What its steps have covered counts once, for the call that begins
//! it: code that a recursion runs often is not more likely to be wrong for that, and no question is spent on
//! finding out which step of a method is wrong when all of them are that method's.
//!
//! Nor is one spent on a call where one below it is nearly as likely to be invalid: if that one is, it would
//! have to be asked about next; if it is not, hardly anything is left of the outer one.
//!
//! Where too many calls are suspicious to compare them with each other, divide & query by edge coverage
//! (JHyde §2.4) over the same trees.

use super::by_coverage::{ByCoverage, EDGES};
use super::{Situation, Strategy};
use crate::declarative::odds::{Odd, odds};
use crate::declarative::weights::Weights;

/// A call that is so much as likely to be invalid as the one above it is asked about in its place; and where
/// weights are compared, one with so much of what that weighs.
const NEARLY_ALL: f64 = 0.7;

/// Bits and chances are not told apart below so many parts of one.
const PARTS: f64 = 1e6;

/// Takes what leaves least. That recursions are one call is what its row says.
pub struct Foremost;

impl Strategy for Foremost {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        match odds(situation) {
            Some(odds) => least_left(situation, &odds),
            None => nearest_to_half(situation),
        }
    }
}

/// The call that leaves least, the first of those that leave as little; of one and those below it that are
/// nearly as likely, the innermost.
fn least_left(situation: &Situation<'_>, odds: &[Odd]) -> Option<u32> {
    let left = |odd: &Odd| (odd.left * PARTS).round();
    let mut chosen = odds.iter().min_by(|a, b| left(a).total_cmp(&left(b)).then(a.node.cmp(&b.node)))?;
    let is_nearly = |odd: &Odd, above: &Odd| {
        odd.node > above.node
            && situation.forest.tree(above.node).contains(&odd.node)
            && odd.invalid >= NEARLY_ALL * above.invalid - 1.0 / PARTS
    };
    while let Some(below) = odds.iter().find(|odd| is_nearly(odd, chosen)) {
        chosen = below;
    }
    Some(chosen.node)
}

/// The call whose tree weighs nearest to half, or what is nearly all of that.
fn nearest_to_half(situation: &Situation<'_>) -> Option<u32> {
    let weights = Weights::of(situation, ByCoverage { p: EDGES }.own(situation));
    let mut chosen = weights.nearest(weights.all() / 2.0)?;
    while let Some(below) = weights.most_of(chosen, NEARLY_ALL) {
        chosen = below;
    }
    Some(chosen)
}
