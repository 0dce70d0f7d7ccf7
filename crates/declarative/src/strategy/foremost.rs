//! The default strategy of `qp`: chooses the call whose answer leaves the least expected uncertainty
//! (`fault_estimates`), over trees in which a recursion is one call.
//!
//! The coverage of a recursion's steps counts once, for its outermost call. Code that a recursion runs often
//! is not more suspicious for that, and no question is spent on which step of one method is invalid.
//!
//! No question is spent on a call with a nearly as suspicious call below it either. If the inner call is
//! invalid, it would be the next question; if it is valid, the outer call is hardly suspicious any more.
//!
//! With too many suspicious calls for the estimates, it uses divide & query by edge coverage (JHyde §2.4)
//! over the same trees.

use super::by_coverage::{ByCoverage, EDGES};
use super::{Situation, Strategy};
use crate::fault_estimates::{FaultEstimate, fault_estimates};
use crate::weights::Weights;

/// A call with at least this fraction of its ancestor's probability, or of its ancestor's weight, is asked
/// about instead.
const NEARLY_ALL: f64 = 0.7;

/// Resolution of bits and probabilities: differences below one part in this many are ignored.
const PARTS: f64 = 1e6;

/// Chooses the call that leaves the least uncertainty. Its [`STRATEGIES`](super::STRATEGIES) row makes a
/// recursion one call.
pub struct Foremost;

impl Strategy for Foremost {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        match fault_estimates(situation) {
            Some(estimates) => least_left(situation, &estimates),
            None => nearest_to_half(situation),
        }
    }
}

/// The first call that leaves the least uncertainty; then the innermost call below it that is nearly as
/// likely invalid.
fn least_left(situation: &Situation<'_>, estimates: &[FaultEstimate]) -> Option<u32> {
    let left = |estimate: &FaultEstimate| (estimate.left * PARTS).round();
    let mut chosen = estimates.iter().min_by(|a, b| left(a).total_cmp(&left(b)).then(a.node.cmp(&b.node)))?;
    let is_nearly = |estimate: &FaultEstimate, above: &FaultEstimate| {
        estimate.node > above.node
            && situation.forest.tree(above.node).contains(&estimate.node)
            && estimate.invalid >= NEARLY_ALL * above.invalid - 1.0 / PARTS
    };
    while let Some(below) = estimates.iter().find(|estimate| is_nearly(estimate, chosen)) {
        chosen = below;
    }
    Some(chosen.node)
}

/// The call whose tree's weight is nearest to half; then the innermost call below it with nearly the same
/// weight.
fn nearest_to_half(situation: &Situation<'_>) -> Option<u32> {
    let weights = Weights::of(situation, ByCoverage { p: EDGES }.own(situation));
    let mut chosen = weights.nearest(weights.all() / 2.0)?;
    while let Some(below) = weights.most_of(chosen, NEARLY_ALL) {
        chosen = below;
    }
    Some(chosen)
}
