//! Optimal divide & query (Insa & Silva 2011): if a call is valid, the calls outside its tree are left; if it
//! is invalid, it is known and those below it are left to be judged. The call where these two numbers are
//! nearest to each other.

use super::{Row, Situation, Strategy, Weights};

/// Takes what leaves as many either way.
pub struct Optimal;

impl Strategy for Optimal {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // What is known to be invalid need not be judged.
        let own = |row: Row| if situation.suspects.is_answered(row.node) { 0.0 } else { 1.0 };
        let weights = Weights::of(situation, own);
        // Outside of a tree of weight w are all - w, and below its call w - 1.
        weights.nearest((weights.all() + 1.0) / 2.0)
    }
}
