//! What a strategy sees: the trees, what is suspicious, what was answered and what calls have covered.

use super::countable::Countable;
use super::coverage::Coverage;
use super::forest::{Forest, Row};
use super::suspects::Suspects;
use super::verdict::{Answered, Verdict};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::ops::Range;

/// What is known of methods, by their numbers.
pub type OfMethods<T> = HashMap<u32, T, FixedState>;

/// What a strategy sees.
pub struct Situation<'a> {
    /// The execution trees.
    pub forest: &'a Forest,
    /// The calls that can be buggy.
    pub suspects: &'a Suspects,
    /// Those that can be judged, as far as that depends on no answer of theirs.
    pub countable: &'a Countable,
    /// What was answered, in its order.
    pub answers: &'a [Answered],
    /// What calls have covered, where the strategy needs that.
    pub coverage: Option<&'a Coverage>,
    /// Whether the steps of a recursion are one with the call that begins it: only that is judged.
    pub compressed: bool,
    /// Whether only calls are seen that have influenced what somebody has pointed at, and the invalid one
    /// that has left it: there are such that can be asked.
    pub narrowed: bool,
    /// By set of entities: how many calls are valid that have covered it, those below a valid call among
    /// them.
    pub valid_sets: &'a [u32],
}

impl Situation<'_> {
    /// Whether a call is suspicious, has ended, and nothing was said of it.
    pub fn can_be_asked(&self, node: u32) -> bool {
        self.forest.row(node).is_some_and(|row| self.counts(&row))
            && self.suspects.holds(self.forest, node)
            && !self.suspects.is_answered(node)
    }

    /// Whether a call that was not cleared is one to judge.
    pub fn counts(&self, row: &Row) -> bool {
        row.ended
            && !(self.compressed && row.repeats)
            && !(self.suspects.trusts() && self.suspects.is_trusted(row.method))
            && (!self.narrowed || self.is_meant(row.node))
    }

    /// Whether somebody who has pointed at a value can have meant a call: it has influenced the value, or has
    /// left it and may be buggy itself.
    fn is_meant(&self, node: u32) -> bool {
        self.suspects.is_influential(node) || self.suspects.innermost_invalid() == Some(node)
    }

    /// The suspicious calls that have ended, in the order of their entries.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.suspects.ranges().flat_map(|range| self.forest.rows(range)).filter(|row| self.counts(row))
    }

    /// The outermost calls that can be asked: what top-down strategies choose from. Below calls that cannot
    /// be asked, those below are taken (VET §2.1: calls that have not ended are ignored).
    pub fn outermost(&self) -> Vec<u32> {
        self.outermost_in_turn().collect()
    }

    /// The same, one after the other.
    pub fn outermost_in_turn(&self) -> impl Iterator<Item = u32> {
        self.suspects.ranges().flat_map(move |range| {
            let mut next = range.start;
            std::iter::from_fn(move || {
                let found = self.first_to_ask(next..range.end)?;
                next = self.forest.tree(found).end.max(found.saturating_add(1));
                Some(found)
            })
        })
    }

    /// The first of some calls that can be asked.
    pub fn first_to_ask(&self, calls: Range<u32>) -> Option<u32> {
        let mut next = calls.start;
        loop {
            let node = self.countable.next(next).filter(|node| *node < calls.end)?;
            if self.can_be_asked(node) {
                return Some(node);
            }
            next = node.saturating_add(1);
        }
    }

    /// What the suspicious calls in the trees of some calls weigh, each tree for itself; the trees do not
    /// overlap, and are in order.
    pub fn weigh_each(&self, trees: &[u32], mut own: impl FnMut(Row) -> f64) -> Vec<f64> {
        let mut ranges = self.suspects.ranges().peekable();
        let mut weigh = |tree: &u32| {
            let tree = self.forest.tree(*tree);
            let mut weight = 0.0;
            while let Some(range) = ranges.peek().filter(|range| range.start < tree.end) {
                let (calls, goes_on) =
                    (range.start.max(tree.start)..range.end.min(tree.end), range.end > tree.end);
                let rows = self.forest.rows(calls).filter(|row| self.counts(row));
                weight = rows.fold(weight, |weight, row| weight + own(row));
                if goes_on {
                    break;
                }
                ranges.next();
            }
            weight
        };
        trees.iter().map(&mut weigh).collect()
    }

    /// By entity: how many valid calls have covered it.
    pub fn valid_of_entities(&self) -> Vec<u32> {
        let Some(coverage) = self.coverage else { return Vec::new() };
        let mut valid = vec![0_u32; coverage.entities()];
        for (set, count) in coverage.sets().iter().zip(self.valid_sets) {
            for entity in set {
                if let Some(of) = usize::try_from(*entity).ok().and_then(|entity| valid.get_mut(entity)) {
                    *of = of.saturating_add(*count);
                }
            }
        }
        valid
    }

    /// By method: how many of its calls were said to be valid, and invalid.
    pub fn said_of_methods(&self) -> OfMethods<(u32, u32)> {
        let mut said = OfMethods::default();
        for answered in self.answers {
            let (valid, invalid): &mut (u32, u32) =
                said.entry(self.forest.method(answered.node)).or_default();
            match answered.verdict {
                Verdict::Valid => *valid += 1,
                Verdict::Invalid | Verdict::Wrong(_) => *invalid += 1,
                Verdict::Trusted(_) | Verdict::Unknown | Verdict::Inadmissible => {}
            }
        }
        said
    }

    /// What a call of a method weighs: ½ for each of that method's calls that was said to be valid (Silva's
    /// Less YES First and Divide by YES & Query).
    pub fn halved_by_yes(&self) -> impl Fn(u32) -> f64 {
        let said = self.said_of_methods();
        move |method| {
            said.get(&method)
                .map_or(1.0, |(valid, _)| 0.5_f64.powi(i32::try_from(*valid).unwrap_or(i32::MAX)))
        }
    }
}
