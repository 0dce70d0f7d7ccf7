//! Optimal divide & query (Insa & Silva 2011). If a call is valid, the calls outside its tree remain; if it
//! is invalid, the calls below it remain. It chooses the call for which these two numbers are nearest to each
//! other.

use super::{Row, Situation, Strategy, Weights};

/// Chooses the call that leaves equally many calls either way.
pub struct Optimal;

impl Strategy for Optimal {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // A call known to be invalid need not be judged.
        let own = |row: Row| if situation.suspects.is_answered(row.node) { 0.0 } else { 1.0 };
        let weights = Weights::of(situation, own);
        // For a tree of weight w, all - w calls remain outside it, and w - 1 below its root.
        weights.nearest((weights.all() + 1.0) / 2.0)
    }
}
