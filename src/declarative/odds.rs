//! How likely it is of each call that it is invalid, and what an answer about it would leave to be found out:
//! by which code it and those below it have executed, and what was said of other calls that have executed the
//! same.
//!
//! What is taken for granted: one entity of the code (`coverage`) is faulty, each as likely as any other.
//! Executed, it does wrong in some part of the calls; which part nobody knows, and a larger one is likelier
//! in proportion: its density is 2q. A call is invalid where one in its tree does wrong. So an entity that
//! `n` calls have executed is faulty and has done right in all of them with the chance ∫2q(1-q)ⁿdq =
//! 2/((n+1)(n+2)), and everything else follows from how often it was executed in calls that are valid, and in
//! those that are suspicious.

use super::coverage::Coverage;
use super::situation::Situation;
use std::collections::HashMap;

/// Of more suspicious calls nothing is told: each is compared with all others.
const MOST: usize = 1_000;
/// Nor are more calls looked at for them.
const LOOKED_AT: u32 = 1 << 17;
/// What a call weighs that has executed nothing which is known.
const LEAST: f64 = 1e-9;

/// A call that can be asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odd {
    /// The call.
    pub node: u32,
    /// How likely it is invalid, from 0 to 1.
    pub invalid: f64,
    /// How many bits an answer would leave to be found out about which call does wrong, on average over what
    /// the answer may be.
    pub left: f64,
}

/// The suspicious calls, and what they have executed.
struct Odds<'a> {
    situation: &'a Situation<'a>,
    /// The suspicious calls, in their order, and the places of their sets.
    calls: Vec<(u32, usize)>,
    /// Of what they have executed: the sets of entities, by the places of these.
    sets: Vec<Vec<usize>>,
    /// Before each of the calls, and behind the last one: how many of those before have which set.
    before: Vec<f64>,
    /// By entity: how many valid calls have executed it.
    valid: Vec<f64>,
    /// By entity: how many suspicious ones have.
    suspicious: Vec<f64>,
}

/// The calls that can be asked, in their order; none where it is not known what calls have executed, or too
/// many are suspicious.
pub fn odds(situation: &Situation<'_>) -> Option<Vec<Odd>> {
    let odds = Odds::of(situation)?;
    let asked = odds.calls.iter().enumerate().filter(|(_, (node, _))| situation.can_be_asked(*node));
    Some(asked.map(|(at, (node, _))| odds.odd(at, *node)).collect())
}

/// The chance that faulty code does right in so many calls.
fn right(calls: f64) -> f64 {
    2.0 / ((calls + 1.0) * (calls + 2.0))
}

impl<'a> Odds<'a> {
    fn of(situation: &'a Situation<'a>) -> Option<Odds<'a>> {
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
        let mut found = Found::default();
        let calls: Vec<(u32, usize)> =
            nodes.into_iter().map(|node| (node, found.set(coverage, coverage.set_of(node)))).collect();
        let valid = found
            .entities
            .iter()
            .map(|entity| of_entities.get(*entity).copied().map_or(0.0, f64::from))
            .collect();
        let mut count = vec![0.0; found.sets.len()];
        let mut before = Vec::with_capacity((calls.len() + 1) * count.len());
        for (_, set) in &calls {
            before.extend_from_slice(&count);
            if let Some(of) = count.get_mut(*set) {
                *of += 1.0;
            }
        }
        before.extend_from_slice(&count);
        let suspicious = executed(&found.sets, &count, found.entities.len());
        Some(Odds { situation, calls, sets: found.sets, before, valid, suspicious })
    }

    /// Of each set, how many of the calls before this place have it.
    fn before(&self, at: usize) -> &[f64] {
        let many = self.sets.len();
        self.before.get(at * many..(at + 1) * many).unwrap_or_default()
    }

    fn odd(&self, at: usize, node: u32) -> Odd {
        let end = self.situation.forest.tree(node).end;
        let behind = self.calls.partition_point(|(other, _)| *other < end);
        let inside: Vec<f64> =
            self.before(behind).iter().zip(self.before(at)).map(|(to, from)| to - from).collect();
        let outside: Vec<f64> =
            self.before(self.calls.len()).iter().zip(&inside).map(|(all, inside)| all - inside).collect();
        let of_tree = executed(&self.sets, &inside, self.valid.len());
        // What one of the calls weighs by each entity, if one in the tree does wrong, and if none there does.
        let (mut if_invalid, mut if_valid) = (Vec::new(), Vec::new());
        for ((valid, all), tree) in self.valid.iter().zip(&self.suspicious).zip(&of_tree) {
            let then = right(valid + tree);
            if_invalid.push(if *tree > 0.0 { (right(*valid) - then) / tree } else { 0.0 });
            let others = all - tree;
            if_valid.push(if others > 0.0 { (then - right(valid + all)) / others } else { 0.0 });
        }
        let (wrong, bits_if_invalid) = self.uncertainty(&inside, &if_invalid);
        let (fine, bits_if_valid) = self.uncertainty(&outside, &if_valid);
        let invalid = wrong / (wrong + fine).max(f64::MIN_POSITIVE);
        Odd { node, invalid, left: invalid * bits_if_invalid + (1.0 - invalid) * bits_if_valid }
    }

    /// What calls weigh together, of which so many have each set, by what each entity weighs in them; and how
    /// many bits tell which of them it is.
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

/// By entity: how many calls have executed it, of which so many have each set.
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

/// The sets and entities that there are among the suspicious calls, with places of their own.
#[derive(Default)]
struct Found {
    places: HashMap<usize, usize>,
    sets: Vec<Vec<usize>>,
    of_entities: HashMap<u32, usize>,
    /// The numbers of the entities.
    entities: Vec<usize>,
}

impl Found {
    /// The place of a set.
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
    use super::super::{CoverageMaker, Diagnosis, Forest, STRATEGIES, Verdict};
    use super::*;
    use proptest::prelude::*;

    /// The chance by its definition: the part in which faulty code does wrong is gone through in small steps.
    fn integrated(of: impl Fn(f64) -> f64) -> f64 {
        const STEPS: u32 = 2_000;
        (0..STEPS)
            .map(|step| (f64::from(step) + 0.5) / f64::from(STEPS))
            .map(|q| 2.0 * q * of(q))
            .sum::<f64>()
            / f64::from(STEPS)
    }

    /// How likely the tree of a call is to be wrong, and how likely each suspicious call does wrong in the
    /// end, one by one, if nothing is said or the call is said to be invalid or valid.
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
            let invalid = integrated(|q| all_right(q, valid) * (1.0 - all_right(q, inside)));
            let elsewhere = integrated(|q| all_right(q, valid + inside) * (1.0 - all_right(q, outside)));
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
        let mut maker: CoverageMaker<u32> = CoverageMaker::new(depths.len());
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
        let mut diagnosis = Diagnosis::new(forest, row.made(None), Some(maker.finish()));
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
        fn they_are_what_their_definition_says(
            depths in prop::collection::vec((0..5_u32, 0..4_u32), 2..25),
            covered in prop::collection::vec(prop::collection::vec(0..12_u32, 0..4), 1..8),
            said in prop::collection::vec((0..25_u32, 0..4_u8), 0..5),
        ) {
            let diagnosis = diagnosis(&depths, &covered, &said);
            let situation = diagnosis.situation();
            let asked: Vec<u32> = (0..situation.forest.count()).filter(|node| situation.can_be_asked(*node)).collect();
            let odds = odds(&situation).unwrap();
            prop_assert_eq!(odds.iter().map(|odd| odd.node).collect::<Vec<_>>(), asked);
            let suspicious = situation.rows().any(|row| !situation.coverage.unwrap().sets()[situation.coverage.unwrap().set_of(row.node)].is_empty());
            // Where nothing is known of what was executed there is no more to say than how many calls there
            // are.
            for odd in odds.iter().filter(|_| suspicious) {
                let (invalid, [inside, outside]) = by_definition(&situation, situation.forest.tree(odd.node));
                prop_assert!((odd.invalid - invalid).abs() < 1e-3, "{} for {invalid}", odd.invalid);
                let left = invalid * bits(&inside) + (1.0 - invalid) * if outside.is_empty() { 0.0 } else { bits(&outside) };
                prop_assert!((odd.left - left).abs() < 0.01, "{} for {left}", odd.left);
            }
        }
    }

    #[test]
    fn calls_that_have_executed_nothing_known_are_halved() {
        let diagnosis = diagnosis(&[(0, 0), (1, 1), (2, 2), (3, 3), (4, 0)], &[Vec::new()], &[]);
        let odds = odds(&diagnosis.situation()).unwrap();
        let invalid: Vec<f64> = odds.iter().map(|odd| (odd.invalid * 10.0).round() / 10.0).collect();
        assert_eq!(invalid, [1.0, 0.8, 0.6, 0.4, 0.2]);
        let least = odds.iter().min_by(|a, b| a.left.total_cmp(&b.left)).unwrap();
        assert!([2, 3].contains(&least.node), "{odds:?}");
    }

    #[test]
    fn too_many_are_not_compared() {
        let many = u32::try_from(MOST).unwrap();
        for (calls, is_told) in [(many, true), (many + 1, false)] {
            let depths: Vec<(u32, u32)> =
                (0..calls).map(|call| (call.min(1), if call == 0 { 0 } else { 1 + call % 3 })).collect();
            let diagnosis = diagnosis(&depths, &[vec![1], vec![2]], &[]);
            assert_eq!(odds(&diagnosis.situation()).is_some(), is_told, "{calls}");
        }
    }
}
