//! Divide & query by coverage (JHyde §2.4). A call weighs the sum of its covered entities, and an entity
//! weighs pⁿ after n valid calls covered it. Without coverage, all calls weigh the same.

use super::{Situation, Strategy};
use crate::forest::Row;
use crate::weights::nearest_to_half;

/// Default of `p` for edges (JHyde §6).
pub const EDGES: f64 = 0.5;
/// Default of `p` for def-use chains (JHyde §6).
pub const CHAINS: f64 = 0.6;
/// Minimum weight of a call, so that calls without new coverage still differ.
const LEAST: f64 = 1e-9;

/// Chooses the call nearest to half of the weight.
pub struct ByCoverage {
    /// The factor for each valid call that covers an entity, from 0 to 1.
    pub p: f64,
}

impl Strategy for ByCoverage {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        nearest_to_half(situation, self.own(situation))
    }
}

impl ByCoverage {
    /// The weight of a single call.
    pub fn own<'a>(&self, situation: &Situation<'a>) -> impl Fn(Row) -> f64 + 'a {
        let (coverage, sets) = (situation.coverage, of_sets(situation, &weights(situation, self.p)));
        move |row| match coverage {
            Some(coverage) => sets.get(coverage.set_of(row.node)).copied().unwrap_or(LEAST),
            None => 1.0,
        }
    }
}

/// By entity: its weight after the valid calls that cover it.
fn weights(situation: &Situation<'_>, p: f64) -> Vec<f64> {
    let weight = |valid: u32| p.powi(i32::try_from(valid).unwrap_or(i32::MAX));
    let before = |entity| situation.coverage.map_or(1.0, |coverage| coverage.weight(entity));
    let valid = situation.valid_of_entities().into_iter().enumerate();
    valid.map(|(entity, valid)| before(entity) * weight(valid)).collect()
}

/// By set of entities: the weight of a call that covers it.
fn of_sets(situation: &Situation<'_>, weights: &[f64]) -> Vec<f64> {
    let of = |entity: &u32| usize::try_from(*entity).ok().and_then(|entity| weights.get(entity)).copied();
    let sets = situation.coverage.map_or_else(Default::default, |coverage| coverage.sets());
    sets.iter().map(|set| LEAST + set.iter().filter_map(of).sum::<f64>()).collect()
}
