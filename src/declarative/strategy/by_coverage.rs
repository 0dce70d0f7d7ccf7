//! Divide & query by coverage (JHyde §2.4): a call weighs as much as the entities that it has covered, and each of these the less the more
//! valid calls have covered it: pⁿ.

use super::{Situation, Strategy};

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
        let Some(coverage) = situation.coverage else { return situation.nearest_to_half(|_| 1.0) };
        let mut valid = vec![0_u32; coverage.entities()];
        for (set, count) in coverage.sets().iter().zip(situation.valid_sets) {
            for entity in set {
                if let Some(of) = usize::try_from(*entity).ok().and_then(|entity| valid.get_mut(entity)) {
                    *of = of.saturating_add(*count);
                }
            }
        }
        let weight = |valid: u32| self.p.powi(i32::try_from(valid).unwrap_or(i32::MAX));
        let weights: Vec<f64> = valid.into_iter().map(weight).collect();
        let of = |entity: &u32| usize::try_from(*entity).ok().and_then(|entity| weights.get(entity)).copied();
        let sets: Vec<f64> =
            coverage.sets().iter().map(|set| LEAST + set.iter().filter_map(of).sum::<f64>()).collect();
        situation.nearest_to_half(|node| sets.get(coverage.set_of(node)).copied().unwrap_or(LEAST))
    }
}
