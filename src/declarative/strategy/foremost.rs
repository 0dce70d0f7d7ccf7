//! Our own: divide & query by edge coverage (JHyde §2.4) over trees in which a recursion is one call. What its steps have covered counts once, for the
//! call that begins it: code that a recursion runs often is not more likely to be wrong for that, and no question is spent on finding out which step of a method
//! is wrong when all of them are that method's.

use super::{Situation, Strategy, by_coverage};

/// Takes the nearest to half of the weight. That recursions are one call is what its row says.
pub struct Foremost;

impl Strategy for Foremost {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        by_coverage::ByCoverage { p: by_coverage::EDGES }.choose(situation)
    }
}
