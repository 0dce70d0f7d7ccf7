//! Hat-delta (Davie & Chitil 2006): earlier answers tell which methods are likely faulty. A method's weight
//! grows with the share of its calls judged invalid. Top-down, it chooses the call whose tree has the largest
//! sum.

use super::{Row, Situation, Strategy, first_of_most};

/// Chooses the call with the most suspicious methods.
pub struct HatDelta;

impl Strategy for HatDelta {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // A method without answers lies between those judged invalid and those judged valid.
        const UNSAID: f64 = 0.5;
        let said = situation.verdicts_by_method();
        let likely = |row: Row| {
            said.get(&row.method).map_or(UNSAID, |(valid, invalid)| {
                (1.0 + f64::from(*invalid)) / (2.0 + f64::from(*invalid) + f64::from(*valid))
            })
        };
        first_of_most(situation, &situation.outermost(), likely)
    }
}
