//! Estimates from coverage how likely each call is invalid, and how much uncertainty an answer about it would
//! leave.
//!
//! The model: exactly one entity of the code (see `coverage`) is faulty, each with a probability proportional
//! to its weight, which is equal for all unless passing runs tell (`spectrum`). A
//! faulty entity fails in an unknown fraction q of the calls that execute it; larger fractions are more
//! likely, with density 2q. A call is invalid if an entity fails in its tree. So an entity that is faulty but
//! succeeded in all of `n` calls has probability ∫2q(1-q)ⁿdq = 2/((n+1)(n+2)). All estimates follow from how
//! many valid and suspicious calls executed each entity.

use super::coverage::Coverage;
use super::situation::Situation;
use super::spectrum::succeeds;
use std::collections::HashMap;

/// Maximum number of suspicious calls to estimate: each one is compared with all others.
const MOST: usize = 1_000;
/// Maximum number of calls to scan for suspicious ones.
const LOOKED_AT: u32 = 1 << 17;
/// Weight of a call that executed no known entity.
const LEAST: f64 = 1e-9;

/// The estimate for a call that can be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultEstimate {
    /// The call.
    pub node: u32,
    /// Probability that the call is invalid, from 0 to 1.
    pub invalid: f64,
    /// Expected remaining uncertainty, in bits, about which call is faulty after an answer about this call.
    pub left: f64,
}

/// The suspicious calls and the entities they executed.
struct FaultModel<'a> {
    situation: &'a Situation<'a>,
    /// The suspicious calls in order, each with the index of its set.
    calls: Vec<(u32, usize)>,
    /// The sets of executed entities, as indices of entities.
    sets: Vec<Vec<usize>>,
    /// Prefix counts: for each position in `calls`, how many earlier calls have each set.
    before: Vec<f64>,
    /// By entity: number of valid calls that executed it.
    valid: Vec<f64>,
    /// By entity: number of suspicious calls that executed it.
    suspicious: Vec<f64>,
    /// By entity: its weight before any answer.
    weights: Vec<f64>,
}

/// Estimates for all calls that can be asked about, in order. `None` without coverage, or with too many
/// suspicious calls.
pub fn fault_estimates(situation: &Situation<'_>) -> Option<Vec<FaultEstimate>> {
    let estimates = FaultModel::of(situation)?;
    let asked = estimates.calls.iter().enumerate().filter(|(_, (node, _))| situation.can_be_asked(*node));
    Some(asked.map(|(at, (node, _))| estimates.estimate(at, *node)).collect())
}

/// How likely each of these calls is the faulty one, if one of them is: relative weights in the order of the
/// calls. `None` without coverage.
pub fn own_weights(situation: &Situation<'_>, calls: &[u32]) -> Option<Vec<f64>> {
    let coverage = situation.coverage?;
    let valid = situation.valid_of_entities();
    let entities = |call: &u32| coverage.sets().get(coverage.set_of(*call)).map_or(&[][..], |set| set);
    let mut executed: HashMap<u32, f64> = HashMap::new();
    for entity in calls.iter().flat_map(entities) {
        *executed.entry(*entity).or_default() += 1.0;
    }
    let weight = |entity: &u32| {
        let calls = executed.get(entity).copied().unwrap_or(1.0);
        let valid = usize::try_from(*entity).ok().and_then(|entity| valid.get(entity));
        let valid = valid.copied().map_or(0.0, f64::from);
        (succeeds(valid) - succeeds(valid + calls)) / calls
    };
    Some(calls.iter().map(|call| LEAST + entities(call).iter().map(weight).sum::<f64>()).collect())
}

impl<'a> FaultModel<'a> {
    fn of(situation: &'a Situation<'a>) -> Option<FaultModel<'a>> {
        let coverage = situation.coverage?;
        let many = situation
            .suspects
            .ranges()
            .fold(0, |many: u32, range| many.saturating_add(range.end - range.start));
        if many > LOOKED_AT {
            return None;
        }
        let nodes: Vec<u32> = situation.rows().take(MOST + 1).map(|row| row.node).collect();
        if nodes.len() > MOST {
            return None;
        }
        let of_entities = situation.valid_of_entities();
        let mut index = SetIndex::default();
        let calls: Vec<(u32, usize)> =
            nodes.into_iter().map(|node| (node, index.set(coverage, coverage.set_of(node)))).collect();
        let valid = index
            .entities
            .iter()
            .map(|entity| of_entities.get(*entity).copied().map_or(0.0, f64::from))
            .collect();
        let weights = index.entities.iter().map(|entity| coverage.weight(*entity)).collect();
        let mut count = vec![0.0; index.sets.len()];
        let mut before = Vec::with_capacity((calls.len() + 1) * count.len());
        for (_, set) in &calls {
            before.extend_from_slice(&count);
            if let Some(of) = count.get_mut(*set) {
                *of += 1.0;
            }
        }
        before.extend_from_slice(&count);
        let suspicious = executed(&index.sets, &count, index.entities.len());
        Some(FaultModel { situation, calls, sets: index.sets, before, valid, suspicious, weights })
    }

    /// The number of calls before an index, by set.
    fn before(&self, at: usize) -> &[f64] {
        let many = self.sets.len();
        self.before.get(at * many..(at + 1) * many).unwrap_or_default()
    }

    fn estimate(&self, at: usize, node: u32) -> FaultEstimate {
        let end = self.situation.forest.tree(node).end;
        let behind = self.calls.partition_point(|(other, _)| *other < end);
        let inside: Vec<f64> =
            self.before(behind).iter().zip(self.before(at)).map(|(to, from)| to - from).collect();
        let outside: Vec<f64> =
            self.before(self.calls.len()).iter().zip(&inside).map(|(all, inside)| all - inside).collect();
        let of_tree = executed(&self.sets, &inside, self.valid.len());
        // Weight that each entity gives to a call: if the fault is in the tree, and if it is outside.
        let (mut if_invalid, mut if_valid) = (Vec::new(), Vec::new());
        let entities = self.valid.iter().zip(&self.suspicious).zip(&of_tree).zip(&self.weights);
        for (((valid, all), tree), weight) in entities {
            let then = succeeds(valid + tree);
            if_invalid.push(if *tree > 0.0 { weight * (succeeds(*valid) - then) / tree } else { 0.0 });
            let others = all - tree;
            if_valid.push(if others > 0.0 { weight * (then - succeeds(valid + all)) / others } else { 0.0 });
        }
        let (wrong, bits_if_invalid) = self.uncertainty(&inside, &if_invalid);
        let (fine, bits_if_valid) = self.uncertainty(&outside, &if_valid);
        let invalid = wrong / (wrong + fine).max(f64::MIN_POSITIVE);
        FaultEstimate { node, invalid, left: invalid * bits_if_invalid + (1.0 - invalid) * bits_if_valid }
    }

    /// The total weight of calls, given the number of calls per set and the weight of each entity, and their
    /// entropy in bits.
    fn uncertainty(&self, calls: &[f64], entities: &[f64]) -> (f64, f64) {
        let (mut all, mut sum) = (0.0, 0.0);
        for (set, calls) in self.sets.iter().zip(calls).filter(|(_, calls)| **calls > 0.0) {
            let weight = LEAST + set.iter().filter_map(|entity| entities.get(*entity)).sum::<f64>();
            all += calls * weight;
            sum += calls * weight * weight.log2();
        }
        (all, if all > 0.0 { (all.log2() - sum / all).max(0.0) } else { 0.0 })
    }
}

/// By entity: number of calls that executed it, given the number of calls per set.
fn executed(sets: &[Vec<usize>], calls: &[f64], entities: usize) -> Vec<f64> {
    let mut executed = vec![0.0; entities];
    for (set, calls) in sets.iter().zip(calls).filter(|(_, calls)| **calls > 0.0) {
        for entity in set {
            if let Some(of) = executed.get_mut(*entity) {
                *of += calls;
            }
        }
    }
    executed
}

/// Numbers the sets and entities of the suspicious calls consecutively.
#[derive(Default)]
struct SetIndex {
    places: HashMap<usize, usize>,
    sets: Vec<Vec<usize>>,
    of_entities: HashMap<u32, usize>,
    /// The original numbers of the entities.
    entities: Vec<usize>,
}

impl SetIndex {
    /// The index of a set; assigns one to a new set.
    fn set(&mut self, coverage: &Coverage, set: usize) -> usize {
        if let Some(place) = self.places.get(&set) {
            return *place;
        }
        let entities = coverage.sets().get(set).map_or(&[][..], |entities| entities);
        let places = entities.iter().map(|entity| {
            *self.of_entities.entry(*entity).or_insert_with(|| {
                self.entities.push(usize::try_from(*entity).unwrap_or(usize::MAX));
                self.entities.len() - 1
            })
        });
        let places = places.collect();
        self.sets.push(places);
        self.places.insert(set, self.sets.len() - 1);
        self.sets.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CoverageBuilder, Diagnosis, Forest, STRATEGIES, Verdict};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Computes a probability from its definition by numeric integration over q.
    fn integrated(of: impl Fn(f64) -> f64) -> f64 {
        const STEPS: u32 = 2_000;
        (0..STEPS)
            .map(|step| (f64::from(step) + 0.5) / f64::from(STEPS))
            .map(|q| 2.0 * q * of(q))
            .sum::<f64>()
            / f64::from(STEPS)
    }

    /// From the definition: the probability that a call's tree is invalid, and the weight of each suspicious
    /// call if the tree is invalid and if it is valid.
    fn by_definition(situation: &Situation<'_>, tree: std::ops::Range<u32>) -> (f64, [Vec<f64>; 2]) {
        let coverage = situation.coverage.unwrap();
        let nodes: Vec<u32> = situation.rows().map(|row| row.node).collect();
        let (mut wrong, mut fine) = (0.0, 0.0);
        let mut each = [vec![LEAST; nodes.len()], vec![LEAST; nodes.len()]];
        for (entity, valid) in (0_u32..).zip(situation.valid_of_entities()) {
            let has = |node: &u32| coverage.sets()[coverage.set_of(*node)].contains(&entity);
            let count = |is_inside: bool| {
                f64::from(
                    u32::try_from(
                        nodes.iter().filter(|node| has(node) && tree.contains(node) == is_inside).count(),
                    )
                    .unwrap(),
                )
            };
            let (inside, outside, valid) = (count(true), count(false), f64::from(valid));
            let all_right = |q: f64, calls: f64| (1.0 - q).powf(calls);
            let weight = coverage.weight(usize::try_from(entity).unwrap());
            let invalid = weight * integrated(|q| all_right(q, valid) * (1.0 - all_right(q, inside)));
            let elsewhere =
                weight * integrated(|q| all_right(q, valid + inside) * (1.0 - all_right(q, outside)));
            wrong += invalid;
            fine += elsewhere;
            for (at, node) in nodes.iter().enumerate().filter(|(_, node)| has(node)) {
                let is_inside = tree.contains(node);
                let (which, chance) =
                    if is_inside { (0, invalid / inside) } else { (1, elsewhere / outside) };
                each[which][at] += chance;
            }
        }
        for (which, chances) in each.iter_mut().enumerate() {
            let of_tree = chances.iter().zip(&nodes).filter(|(_, node)| tree.contains(node) == (which == 0));
            *chances = of_tree.map(|(chance, _)| *chance).collect();
        }
        (wrong / (wrong + fine), each)
    }

    fn bits(chances: &[f64]) -> f64 {
        let all: f64 = chances.iter().sum();
        chances.iter().map(|chance| -(chance / all) * (chance / all).log2()).sum()
    }

    fn diagnosis(depths: &[(u32, u32)], covered: &[Vec<u32>], said: &[(u32, u8)]) -> Diagnosis {
        let mut at: Vec<u32> = Vec::new();
        for (depth, _) in depths {
            at.push(at.last().map_or(0, |last| *depth % (last + 2)));
        }
        let mut forest = Forest::default();
        let mut maker: CoverageBuilder<u32> = CoverageBuilder::new(depths.len());
        for entity in 0..12 {
            maker.entity(entity);
        }
        for (node, (_, method)) in depths.iter().enumerate() {
            let below = at[node + 1..].iter().take_while(|depth| **depth > at[node]).count();
            forest.push(u32::try_from(below + 1).unwrap(), *method, true);
            maker.call(u32::try_from(node).unwrap(), covered[node % covered.len()].clone());
        }
        forest.thread(0..forest.count());
        let row = STRATEGIES.iter().find(|row| row.name == "foremost").unwrap();
        let mut diagnosis = Diagnosis::new(
            forest,
            row.made(None),
            Some(maker.finish_weighed(|entity| 1.0 / f64::from(1 + entity % 3))),
        );
        diagnosis.compress();
        for (node, what) in said {
            let node = node % diagnosis.forest().count();
            if diagnosis.situation().can_be_asked(node) {
                let verdict = match what {
                    0 | 1 => Verdict::Valid,
                    2 => Verdict::Invalid,
                    _ => Verdict::Unknown,
                };
                diagnosis.answer(node, verdict);
            }
        }
        diagnosis
    }

    proptest! {
        #[test]
        fn estimates_equal_their_definition(
            depths in prop::collection::vec((0..5_u32, 0..4_u32), 2..25),
            covered in prop::collection::vec(prop::collection::vec(0..12_u32, 0..4), 1..8),
            said in prop::collection::vec((0..25_u32, 0..4_u8), 0..5),
        ) {
            let diagnosis = diagnosis(&depths, &covered, &said);
            let situation = diagnosis.situation();
            let asked: Vec<u32> = (0..situation.forest.count()).filter(|node| situation.can_be_asked(*node)).collect();
            let estimates = fault_estimates(&situation).unwrap();
            prop_assert_eq!(estimates.iter().map(|estimate| estimate.node).collect::<Vec<_>>(), asked);
            let suspicious = situation.rows().any(|row| !situation.coverage.unwrap().sets()[situation.coverage.unwrap().set_of(row.node)].is_empty());
            // Without any executed entity, the estimate depends on the number of calls only.
            for estimate in estimates.iter().filter(|_| suspicious) {
                let (invalid, [inside, outside]) = by_definition(&situation, situation.forest.tree(estimate.node));
                prop_assert!((estimate.invalid - invalid).abs() < 1e-3, "{} for {invalid}", estimate.invalid);
                let left = invalid * bits(&inside) + (1.0 - invalid) * if outside.is_empty() { 0.0 } else { bits(&outside) };
                prop_assert!((estimate.left - left).abs() < 0.01, "{} for {left}", estimate.left);
            }
        }
    }

    #[test]
    fn the_likeliest_call_covers_what_no_valid_call_covers() {
        // Below call 0: call 1 is valid and covers 1; 2 covers the same; 3 covers 2; 4 covers nothing.
        let depths = [(0, 0), (1, 1), (1, 2), (1, 3), (1, 4)];
        let covered = [vec![1], vec![1], vec![1], vec![2], vec![]];
        let mut diagnosis = diagnosis(&depths, &covered, &[(1, 0)]);
        assert_eq!(diagnosis.likeliest_first(&[2, 3, 4]), [3, 2, 4]);
        let weights = own_weights(&diagnosis.situation(), &[2, 3, 4]).unwrap();
        // One valid and one suspicious call: 1/3 - 1/6. Only a suspicious call: 1 - 1/3.
        for (weight, expected) in weights.iter().zip([1.0 / 6.0, 2.0 / 3.0, 0.0]) {
            assert!((weight - expected).abs() < 1e-6, "{weights:?}");
        }
        diagnosis.postpone(BTreeSet::from([3]));
        assert_eq!(diagnosis.likeliest_first(&[2, 3, 4]), [2, 4, 3]);
    }

    #[test]
    fn calls_without_coverage_are_halved() {
        let diagnosis = diagnosis(&[(0, 0), (1, 1), (2, 2), (3, 3), (4, 0)], &[Vec::new()], &[]);
        let estimates = fault_estimates(&diagnosis.situation()).unwrap();
        let invalid: Vec<f64> =
            estimates.iter().map(|estimate| (estimate.invalid * 10.0).round() / 10.0).collect();
        assert_eq!(invalid, [1.0, 0.8, 0.6, 0.4, 0.2]);
        let least = estimates.iter().min_by(|a, b| a.left.total_cmp(&b.left)).unwrap();
        assert!([2, 3].contains(&least.node), "{estimates:?}");
    }

    #[test]
    fn too_many_suspicious_calls_give_no_estimates() {
        let many = u32::try_from(MOST).unwrap();
        for (calls, is_told) in [(many, true), (many + 1, false)] {
            let depths: Vec<(u32, u32)> =
                (0..calls).map(|call| (call.min(1), if call == 0 { 0 } else { 1 + call % 3 })).collect();
            let diagnosis = diagnosis(&depths, &[vec![1], vec![2]], &[]);
            assert_eq!(fault_estimates(&diagnosis.situation()).is_some(), is_told, "{calls}");
        }
    }
}
