//! Weights of trees: the sum of their suspicious calls' weights, computed as the difference of two prefix
//! sums. Only few prefix sums are stored.

use super::forest::Row;
use super::situation::Situation;
use std::ops::Range;

/// Resolution of sums: differences below this fraction of the total are ignored.
const STEPS: f64 = 1e6;

/// Number of calls between two stored sums. Small enough to add up again, and large enough that a tree of ten
/// million calls needs little memory.
const STRIDE: u32 = 16;

/// The weights of all trees.
pub struct Weights<'a, F> {
    situation: &'a Situation<'a>,
    /// The weight of a single suspicious call.
    own: F,
    /// A range that contains all suspicious calls.
    within: Range<u32>,
    /// The ranges of suspicious calls.
    ranges: Vec<Range<u32>>,
    /// Prefix sums: the weight of all calls before every [`STRIDE`]th call.
    before: Vec<f64>,
    all: f64,
}

impl<'a, F: Fn(Row) -> f64> Weights<'a, F> {
    /// Computes the prefix sums from the weight of each suspicious call.
    pub fn of(situation: &'a Situation<'a>, own: F) -> Weights<'a, F> {
        let within = situation.suspects.within();
        let ranges: Vec<Range<u32>> = situation.suspects.ranges().collect();
        let many = (within.end.saturating_sub(within.start)) / STRIDE + 2;
        let before = Vec::with_capacity(usize::try_from(many).unwrap_or(0));
        let mut made = Weights { situation, own, within, ranges, before, all: 0.0 };
        let mut sum = 0.0;
        for range in made.ranges.clone() {
            // Cleared calls have no weight.
            while made.kept_up_to() <= range.start {
                made.before.push(sum);
            }
            let mut from = range.start;
            while from < range.end {
                let to = made.kept_up_to().min(range.end);
                sum = made.plus(sum, from..to);
                if to == made.kept_up_to() {
                    made.before.push(sum);
                }
                from = to;
            }
        }
        made.all = sum;
        made
    }

    /// The call before which the next sum is stored.
    fn kept_up_to(&self) -> u32 {
        let kept = u32::try_from(self.before.len()).unwrap_or(u32::MAX);
        self.within.start.saturating_add(kept.saturating_mul(STRIDE))
    }

    /// Adds the weights of the judgeable calls in a range.
    fn plus(&self, sum: f64, calls: Range<u32>) -> f64 {
        let rows = self.situation.forest.rows(calls).filter(|row| self.situation.counts(row));
        rows.fold(sum, |sum, row| sum + (self.own)(row))
    }

    /// The total weight.
    pub fn all(&self) -> f64 {
        self.all
    }

    /// The weight of all calls before a call.
    fn at(&self, node: u32) -> f64 {
        let node = node.max(self.within.start);
        let place = (node - self.within.start) / STRIDE;
        let kept = usize::try_from(place).ok().and_then(|place| self.before.get(place));
        let Some(kept) = kept.filter(|_| node < self.within.end) else { return self.all };
        let from = self.within.start + place * STRIDE;
        let first = self.ranges.partition_point(|range| range.end <= from);
        let ranges = self.ranges.get(first..).unwrap_or_default().iter();
        let inside = ranges.take_while(|range| range.start < node);
        inside.fold(*kept, |sum, range| self.plus(sum, range.start.max(from)..range.end.min(node)))
    }

    /// The weight of a call's tree.
    pub fn tree(&self, node: u32) -> f64 {
        self.at(self.situation.forest.tree(node).end) - self.at(node)
    }

    /// Passes candidates and their trees' weights to `tell`. Skips calls that are farther from `wanted` than
    /// a visited one: below a lighter tree, all trees are lighter.
    pub fn around(&self, wanted: f64, mut tell: impl FnMut(u32, f64)) {
        let situation = self.situation;
        let mut siblings = vec![self.within.clone()];
        while let Some(range) = siblings.pop() {
            let mut node = range.start;
            while node < range.end {
                let tree = situation.forest.tree(node);
                let weight = self.tree(node);
                let can_be_asked = situation.can_be_asked(node);
                if can_be_asked {
                    tell(node, weight);
                }
                if weight > wanted || (!can_be_asked && weight > 0.0) {
                    siblings.push(node.saturating_add(1)..tree.end.min(self.within.end));
                }
                node = tree.end.max(node.saturating_add(1));
            }
        }
    }

    /// The outermost call below `node` that can be asked about and holds at least `part` (more than half) of
    /// its tree's weight. There is at most one, since it contains the middle of the weight.
    pub fn most_of(&self, node: u32, part: f64) -> Option<u32> {
        let forest = self.situation.forest;
        let all = self.tree(node);
        let middle = self.reaching(self.at(node) + all / 2.0)?;
        let mut below = node.saturating_add(1);
        while below <= middle {
            let tree = forest.tree(below);
            if tree.end <= middle {
                below = tree.end.max(below.saturating_add(1));
            } else if self.tree(below) < part * all {
                return None;
            } else if self.situation.can_be_asked(below) {
                return Some(below);
            } else {
                below = below.saturating_add(1);
            }
        }
        None
    }

    /// The first call at which the prefix sum, including the call, exceeds `weight`.
    fn reaching(&self, weight: f64) -> Option<u32> {
        let place = self.before.partition_point(|before| *before <= weight).saturating_sub(1);
        let first = self.within.start.saturating_add(u32::try_from(place).ok()?.saturating_mul(STRIDE));
        let last = first.saturating_add(STRIDE).min(self.within.end);
        (first..last).find(|node| self.at(node.saturating_add(1)) > weight)
    }

    /// The call that can be asked about whose tree's weight is nearest to `wanted`; the first one if several
    /// are.
    pub fn nearest(&self, wanted: f64) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        self.around(wanted, |node, weight| {
            let far = ((weight - wanted).abs() / wanted.max(f64::MIN_POSITIVE) * STEPS).round();
            if best.is_none_or(|(least, first)| (far, node) < (least, first)) {
                best = Some((far, node));
            }
        });
        best.map(|(_, node)| node)
    }
}

/// The call whose tree weighs nearest to half of all: the first one of those that are as near.
pub fn nearest_to_half(situation: &Situation<'_>, own: impl Fn(Row) -> f64) -> Option<u32> {
    let weights = Weights::of(situation, own);
    weights.nearest(weights.all() / 2.0)
}

#[cfg(test)]
mod tests {
    use super::super::{Coverage, CoverageBuilder, Diagnosis, Forest, STRATEGIES, Step, Verdict};
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Builds a forest of one thread from the relative depth, method and end of each call. Calls of method 3
    /// become parts of the enclosing call.
    fn forest(calls: &[(u32, u32, bool)]) -> Forest {
        let mut depths: Vec<u32> = Vec::new();
        for (depth, ..) in calls {
            depths.push(depths.last().map_or(0, |last| *depth % (last + 2)));
        }
        let mut forest = Forest::default();
        for (at, (_, method, ended)) in calls.iter().enumerate() {
            let below = depths[at + 1..].iter().take_while(|depth| **depth > depths[at]).count();
            let size = u32::try_from(below + 1).unwrap();
            if *method == 3 && depths[at] > 0 {
                forest.push_part(size, *ended);
            } else {
                forest.push(size, *method, *ended);
            }
        }
        forest.thread(0..forest.count());
        forest
    }

    /// Assigns the sets to the calls in rotation.
    fn coverage(calls: u32, sets: &[Vec<u32>]) -> Option<Coverage> {
        let mut maker = CoverageBuilder::new(usize::try_from(calls).unwrap());
        for entity in 0..8_u32 {
            maker.entity(entity);
        }
        (0..calls).zip(sets.iter().cycle()).for_each(|(call, set)| maker.call(call, set.clone()));
        (!sets.is_empty()).then(|| maker.finish())
    }

    /// The weight of a tree, counted call by call.
    fn counted(situation: &Situation<'_>, node: u32) -> f64 {
        situation.rows().filter(|row| situation.forest.tree(node).contains(&row.node)).map(|_| 1.0).sum()
    }

    #[test]
    fn the_invalid_call_itself_has_weight() {
        let row = STRATEGIES.iter().find(|row| row.name == "divide-and-query").unwrap();
        // A chain of calls, the last of which did not influence the wrong value.
        let calls: Vec<(u32, u32, bool)> = (0..4).map(|depth| (depth, depth, true)).collect();
        let mut diagnosis = Diagnosis::new(forest(&calls), row.made(None), None);
        diagnosis.answer(0, Verdict::Wrong(BTreeSet::from([1, 2])));
        let situation = diagnosis.situation();
        let seen: Vec<u32> = situation.rows().map(|row| row.node).collect();
        assert_eq!((seen, Weights::of(&situation, |_| 1.0).all()), (vec![0, 1, 2], 3.0));
        // Without the weight of call 0, half of two would select call 2.
        assert_eq!(diagnosis.next(), Step::Ask(1));
    }

    proptest! {
        #[test]
        fn the_nearest_call_equals_an_exhaustive_search(
            calls in prop::collection::vec((0..6_u32, 0..4_u32, prop::bool::weighted(0.9)), 1..60),
            said in prop::collection::vec((0..60_u32, 0..6_u8), 0..6),
            compressed: bool,
        ) {
            let row = STRATEGIES.iter().find(|row| row.name == "divide-and-query").unwrap();
            let mut diagnosis = Diagnosis::new(forest(&calls), row.made(None), None);
            if compressed {
                diagnosis.compress();
            }
            for (node, what) in said {
                let node = node % diagnosis.forest().count();
                if !diagnosis.situation().can_be_asked(node) {
                    continue;
                }
                let method = diagnosis.forest().method(node);
                diagnosis.answer(node, match what {
                    0 | 1 => Verdict::Valid,
                    2 => Verdict::Invalid,
                    3 => Verdict::Unknown,
                    4 => Verdict::Wrong((0..60).step_by(3).collect()),
                    _ => Verdict::Trusted(BTreeSet::from([method])),
                });
            }
            let situation = diagnosis.situation();
            let weights = Weights::of(&situation, |_| 1.0);
            let asked: Vec<u32> = (0..situation.forest.count()).filter(|node| situation.can_be_asked(*node)).collect();
            for node in &asked {
                prop_assert_eq!(weights.tree(*node), counted(&situation, *node));
            }
            let half = weights.all() / 2.0;
            let far = |node: u32| (counted(&situation, node) - half).abs();
            let nearest = asked.iter().copied().min_by(|a, b| far(*a).total_cmp(&far(*b)).then(a.cmp(b)));
            prop_assert_eq!(weights.nearest(half), nearest);
            for node in &asked {
                let most = 0.7 * counted(&situation, *node);
                let mut below = asked.iter().copied().filter(|below| situation.forest.tree(*node).contains(below));
                let outermost = below.find(|below| below != node && counted(&situation, *below) >= most);
                prop_assert_eq!(weights.most_of(*node, 0.7), outermost);
            }
        }

        /// Sizes can come from a damaged table, and answers can concern calls that no longer exist.
        #[test]
        fn damaged_trees_and_stale_answers_are_handled(
            sizes in prop::collection::vec(prop_oneof![0..80_u32, Just(u32::MAX)], 1..60),
            said in prop::collection::vec((0..90_u32, 0..6_u8), 0..12),
            covered in prop::collection::vec(prop::collection::vec(0..8_u32, 0..4), 0..5),
        ) {
            let mut forest = Forest::default();
            for (size, method) in sizes.iter().zip((0..4).cycle()) {
                forest.push(*size, method, true);
            }
            forest.thread(0..forest.count());
            for row in STRATEGIES {
                let coverage = coverage(forest.count(), &covered);
                let mut diagnosis = Diagnosis::new(forest.clone(), row.made(None), coverage);
                let verdict = |what: u8, method: u32| match what {
                    0 | 1 => Verdict::Valid,
                    2 => Verdict::Invalid,
                    3 => Verdict::Inadmissible,
                    4 => Verdict::Wrong(sizes.iter().copied().collect()),
                    _ => Verdict::Trusted(BTreeSet::from([method])),
                };
                for (node, what) in &said {
                    diagnosis.answer(*node, verdict(*what, node % 4));
                    prop_assert!(diagnosis.remaining() <= u64::from(forest.count()));
                    if let Step::Ask(asked) = diagnosis.next() {
                        prop_assert!(asked < forest.count(), "{}", row.name);
                        diagnosis.answer(asked, Verdict::Unknown);
                        prop_assert!(diagnosis.next() != Step::Ask(asked), "{} asks once more", row.name);
                    }
                }
            }
        }

        /// With an oracle that knows the invalid calls, every strategy finds a buggy call: invalid, with
        /// valid callees.
        #[test]
        fn every_strategy_ends_at_a_buggy_call(
            calls in prop::collection::vec((0..6_u32, 0..4_u32, Just(true)), 1..60),
            wrong in prop::collection::btree_set(0..60_u32, 1..4),
            // The influential calls must not change the result.
            influential in prop::option::of(prop::collection::btree_set(0..60_u32, 0..20)),
            covered in prop::collection::vec(prop::collection::vec(0..8_u32, 0..4), 0..5),
        ) {
            let forest = forest(&calls);
            let wrong: BTreeSet<u32> = wrong.into_iter().map(|node| node % forest.count()).collect();
            // Here, the caller of an invalid call is invalid too.
            let is_wrong = |node: u32| forest.tree(node).any(|below| wrong.contains(&below));
            for row in STRATEGIES {
                let coverage = coverage(forest.count(), &covered);
                let mut diagnosis = Diagnosis::new(forest.clone(), row.made(None), coverage);
                let mut asked = 0;
                let buggy = loop {
                    match diagnosis.next() {
                        Step::Ask(node) => {
                            let verdict = match (is_wrong(node), &influential) {
                                (false, _) => Verdict::Valid,
                                (true, None) => Verdict::Invalid,
                                (true, Some(these)) => Verdict::Wrong(these.clone()),
                            };
                            diagnosis.answer(node, verdict);
                        }
                        Step::Buggy(node) => break node,
                        other => prop_assert!(false, "{}: {other:?}", row.name),
                    }
                    asked += 1;
                    prop_assert!(asked <= forest.count(), "{} asks on and on", row.name);
                };
                prop_assert!(is_wrong(buggy), "{}: {buggy}", row.name);
                prop_assert!(!forest.children(buggy).any(is_wrong), "{}: {buggy}", row.name);
            }
        }
    }
}
