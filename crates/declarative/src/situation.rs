//! The state that a strategy sees: execution trees, suspicious calls, answers and coverage.

use super::coverage::Coverage;
use super::forest::{Forest, Row};
use super::judgeable::JudgeableCalls;
use super::suspects::Suspects;
use super::verdict::{JudgedCall, Verdict};
use foldhash::fast::FixedState;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// A map from method numbers.
pub type ByMethod<T> = HashMap<u32, T, FixedState>;

/// The state that a strategy sees.
pub struct Situation<'a> {
    /// The execution trees.
    pub forest: &'a Forest,
    /// The calls that can still be buggy.
    pub suspects: &'a Suspects,
    /// The calls that can be judged, independent of the answers about them.
    pub judgeable: &'a JudgeableCalls,
    /// The answers in order.
    pub answers: &'a [JudgedCall],
    /// The coverage of calls, if the strategy needs it.
    pub coverage: Option<&'a Coverage>,
    /// Whether a recursion counts as one call, so that only its outermost call is judged.
    pub compressed: bool,
    /// Whether only calls are shown that influenced the wrong value, plus the invalid call that produced it.
    /// True while such calls can be asked about.
    pub narrowed: bool,
    /// Methods whose calls are not shown: they are asked about last, and other calls are left.
    pub postponed: Option<&'a BTreeSet<u32>>,
    /// By set of entities: number of valid calls that cover it, including calls below a valid one.
    pub valid_sets: &'a [u32],
}

impl Situation<'_> {
    /// Whether a call is suspicious, has ended and is not answered.
    pub fn can_be_asked(&self, node: u32) -> bool {
        self.forest.row(node).is_some_and(|row| self.counts(&row))
            && self.suspects.holds(self.forest, node)
            && !self.suspects.is_answered(node)
    }

    /// Whether a call can be judged, apart from being cleared or answered.
    pub fn counts(&self, row: &Row) -> bool {
        row.ended
            && !(self.compressed && row.repeats)
            && !(self.suspects.has_trusted() && self.suspects.is_trusted(row.method))
            && (!self.narrowed || self.is_meant(row.node))
            && !self.postponed.is_some_and(|methods| methods.contains(&row.method))
    }

    /// Whether a call can be responsible for the wrong value: it influenced the value, or it produced the
    /// value and may be buggy itself.
    fn is_meant(&self, node: u32) -> bool {
        self.suspects.is_influential(node) || self.suspects.innermost_invalid() == Some(node)
    }

    /// The suspicious calls that have ended, in the order of their entries.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        self.suspects.ranges().flat_map(|range| self.forest.rows(range)).filter(|row| self.counts(row))
    }

    /// The outermost calls that can be asked about, for top-down strategies. A call that cannot be asked
    /// about is replaced by the calls below it (VET §2.1: calls that have not ended are ignored).
    pub fn outermost(&self) -> Vec<u32> {
        self.outermost_in_turn().collect()
    }

    /// Like [`Situation::outermost`], computed lazily.
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

    /// The first call in a range that can be asked about.
    pub fn first_to_ask(&self, calls: Range<u32>) -> Option<u32> {
        let mut next = calls.start;
        loop {
            let node = self.judgeable.next(next).filter(|node| *node < calls.end)?;
            if self.can_be_asked(node) {
                return Some(node);
            }
            next = node.saturating_add(1);
        }
    }

    /// The weight of the suspicious calls in each tree. The trees must be disjoint and in order.
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

    /// By entity: number of valid calls that cover it.
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

    /// By method: number of its calls judged valid, and invalid.
    pub fn verdicts_by_method(&self) -> ByMethod<(u32, u32)> {
        let mut said = ByMethod::default();
        for answered in self.answers {
            let (valid, invalid): &mut (u32, u32) =
                said.entry(self.forest.method(answered.node)).or_default();
            match answered.verdict {
                Verdict::Valid => *valid += 1,
                Verdict::Invalid | Verdict::Wrong(_) | Verdict::Failed(..) => *invalid += 1,
                Verdict::Trusted(_) | Verdict::Unknown | Verdict::Inadmissible => {}
            }
        }
        said
    }

    /// The weight of a call: ½ for each call of its method judged valid (Silva's Less YES First and Divide by
    /// YES & Query).
    pub fn halved_by_yes(&self) -> impl Fn(u32) -> f64 {
        let said = self.verdicts_by_method();
        move |method| {
            said.get(&method)
                .map_or(1.0, |(valid, _)| 0.5_f64.powi(i32::try_from(*valid).unwrap_or(i32::MAX)))
        }
    }
}
