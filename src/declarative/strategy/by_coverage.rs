//! Divide & query by coverage (JHyde §2.4): a call weighs as much as the entities that it has covered, and
//! each of these the less the more valid calls have covered it: pⁿ. Where coverage was not recorded, each
//! call weighs the same.

use super::{Situation, Strategy};
use crate::declarative::forest::Row;
use crate::declarative::weights::nearest_to_half;

/// `p` of edges (JHyde §6).
pub const EDGES: f64 = 0.5;
/// `p` of def-use chains (JHyde §6).
pub const CHAINS: f64 = 0.6;
/// What every call weighs, so that those which have covered nothing new are told apart.
const LEAST: f64 = 1e-9;

/// Takes the nearest to half of the weight.
pub struct ByCoverage {
    /// What an entity weighs after one valid call that has covered it, from 0 to 1.
    pub p: f64,
}

impl Strategy for ByCoverage {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        nearest_to_half(situation, self.own(situation))
    }
}

impl ByCoverage {
    /// What a call weighs itself.
    pub fn own<'a>(&self, situation: &Situation<'a>) -> impl Fn(Row) -> f64 + 'a {
        let (coverage, sets) = (situation.coverage, of_sets(situation, &weights(situation, self.p)));
        move |row| match coverage {
            Some(coverage) => sets.get(coverage.set_of(row.node)).copied().unwrap_or(LEAST),
            None => 1.0,
        }
    }
}

/// By entity: what it weighs after the valid calls that have covered it.
fn weights(situation: &Situation<'_>, p: f64) -> Vec<f64> {
    let weight = |valid: u32| p.powi(i32::try_from(valid).unwrap_or(i32::MAX));
    situation.valid_of_entities().into_iter().map(weight).collect()
}

/// By set of entities: what a call weighs that has covered it.
fn of_sets(situation: &Situation<'_>, weights: &[f64]) -> Vec<f64> {
    let of = |entity: &u32| usize::try_from(*entity).ok().and_then(|entity| weights.get(entity)).copied();
    let sets = situation.coverage.map_or_else(Default::default, |coverage| coverage.sets());
    sets.iter().map(|set| LEAST + set.iter().filter_map(of).sum::<f64>()).collect()
}
