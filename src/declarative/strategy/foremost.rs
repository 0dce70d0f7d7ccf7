//! Our own: divide & query by edge coverage (JHyde §2.4) over trees in which a recursion is one call. What its steps have covered counts once, for the
//! call that begins it: code that a recursion runs often is not more likely to be wrong for that, and no question is spent on finding out which step of a method
//! is wrong when all of them are that method's.

use super::{Situation, Strategy, by_coverage};
use crate::declarative::situation::far;

/// Takes the nearest to half of the weight, a recursion taken as one call.
pub struct Foremost;

impl Strategy for Foremost {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        if !situation.compressed {
            return by_coverage::ByCoverage { p: by_coverage::EDGES }.choose(situation);
        }
        let weights = Weights::of(situation);
        let mut half = 0.0;
        weights.each(situation, |_, _, own| half += own / 2.0);
        let mut best: Option<(f64, u32)> = None;
        weights.each(situation, |node, all, _| {
            let distance = far(all, half);
            if situation.can_be_asked(node)
                && best.is_none_or(|(least, first)| (distance, node) < (least, first))
            {
                best = Some((distance, node));
            }
        });
        best.map(|(_, node)| node)
    }
}

/// What calls weigh.
struct Weights {
    /// By entity.
    entities: Vec<f64>,
    /// By set of entities.
    sets: Vec<f64>,
}

/// A call that is open, and the steps of its recursion.
struct Open {
    node: u32,
    method: u32,
    end: u32,
    /// What everything before it weighs.
    before: f64,
    set: usize,
    /// Other sets of its steps.
    steps: Vec<usize>,
}

impl Weights {
    fn of(situation: &Situation<'_>) -> Weights {
        let entities = by_coverage::weights(situation, by_coverage::EDGES);
        let sets = by_coverage::of_sets(situation, &entities);
        Weights { entities, sets }
    }

    /// Tells each suspicious call, what its tree weighs, and what it weighs itself with the steps of its recursion.
    fn each(&self, situation: &Situation<'_>, mut tell: impl FnMut(u32, f64, f64)) {
        let (forest, suspects) = (situation.forest, situation.suspects);
        let mut open: Vec<Open> = Vec::new();
        let mut sum = 0.0;
        let mut close = |call: Open, sum: &mut f64| {
            let own = self.own(situation, &call);
            *sum += own;
            tell(call.node, *sum - call.before, own);
        };
        let trusts = suspects.trusts();
        for row in suspects.ranges().flat_map(|range| forest.rows(range)) {
            let node = row.node;
            while let Some(call) = open.pop_if(|call| call.end <= node) {
                close(call, &mut sum);
            }
            if !row.ended || (trusts && suspects.is_trusted(row.method)) {
                continue;
            }
            let set = situation.coverage.map_or(0, |coverage| coverage.set_of(node));
            if row.repeats {
                // It is the innermost open call's, or one of a method that is open around a trusted one.
                let begins = open.iter_mut().rev().find(|call| call.method == row.method);
                if let Some(begins) = begins {
                    if begins.set != set && !begins.steps.contains(&set) {
                        begins.steps.push(set);
                    }
                    continue;
                }
            }
            let end = node.saturating_add(row.size);
            let call = Open { node, method: row.method, end, before: sum, set, steps: Vec::new() };
            match row.size {
                1 => close(call, &mut sum),
                _ => open.push(call),
            }
        }
        while let Some(call) = open.pop() {
            close(call, &mut sum);
        }
    }

    fn own(&self, situation: &Situation<'_>, call: &Open) -> f64 {
        let of_set = self.sets.get(call.set).copied().unwrap_or(by_coverage::LEAST);
        let Some(coverage) = situation.coverage.filter(|_| !call.steps.is_empty()) else { return of_set };
        let sets = std::iter::once(&call.set).chain(&call.steps).filter_map(|set| coverage.sets().get(*set));
        let mut entities: Vec<u32> = sets.flat_map(|set| set.iter().copied()).collect();
        entities.sort_unstable();
        entities.dedup();
        let weight =
            |entity: &u32| usize::try_from(*entity).ok().and_then(|entity| self.entities.get(entity));
        by_coverage::LEAST + entities.iter().filter_map(weight).sum::<f64>()
    }
}
