//! Hat-delta (Davie & Chitil 2006): earlier answers tell which methods are likely to be wrong. A method's
//! likelihood is by how much its calls were said to be invalid more often than valid; top-down, the call
//! whose tree has the likeliest one.

use super::{Row, Situation, Strategy, first_of_most};

/// Takes the likeliest.
pub struct HatDelta;

impl Strategy for HatDelta {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // One that nothing was said of lies between those that were said to be wrong, and right.
        const UNSAID: f64 = 0.5;
        let said = situation.said_of_methods();
        let likely = |row: Row| {
            said.get(&row.method).map_or(UNSAID, |(valid, invalid)| {
                (1.0 + f64::from(*invalid)) / (2.0 + f64::from(*invalid) + f64::from(*valid))
            })
        };
        first_of_most(situation, &situation.outermost(), likely)
    }
}
