//! The calls that can be buggy: the suspicious set of JHyde §2.2, stored as ranges of calls.

use super::forest::Forest;
use std::collections::BTreeSet;
use std::ops::Range;

/// The set of suspicious calls.
#[derive(Clone, Debug, Default)]
pub struct Suspects {
    /// The innermost call known to be invalid.
    invalid: Option<u32>,
    /// Contains all suspicious calls.
    within: Range<u32>,
    /// Ranges without suspicious calls, sorted and not adjacent.
    cleared: Vec<Range<u32>>,
    /// Methods whose calls are not suspicious.
    trusted: BTreeSet<u32>,
    /// Calls with an answer.
    answered: BTreeSet<u32>,
    /// Calls with the answer "unknown".
    unknown: BTreeSet<u32>,
    /// Calls that influenced the wrong value; they are asked about first.
    influential: Option<BTreeSet<u32>>,
}

impl Suspects {
    /// All calls of a range are suspicious.
    pub fn new(within: Range<u32>) -> Suspects {
        Suspects { within, ..Suspects::default() }
    }

    /// A call is valid: its whole tree is cleared.
    pub fn valid(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.clear(forest.tree(node));
    }

    /// A call is invalid: it or a call below it is buggy.
    pub fn invalid(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.invalid = Some(node);
        let tree = forest.tree(node);
        let start = tree.start.max(self.within.start);
        self.within = start..tree.end.min(self.within.end).max(start);
    }

    /// Marks a call as answered, without consequences.
    pub fn mark_answered(&mut self, node: u32) {
        self.answered.insert(node);
    }

    /// Whether a call encloses the innermost invalid one.
    pub fn encloses_invalid(&self, forest: &Forest, node: u32) -> bool {
        self.invalid.is_some_and(|invalid| node < invalid && forest.tree(node).contains(&invalid))
    }

    /// Whether a call was excluded, by an answer about an enclosing call or because another call is known to
    /// be invalid.
    pub fn is_ruled_out(&self, node: u32) -> bool {
        let at = self.cleared.partition_point(|range| range.end <= node);
        let is_cleared = self.cleared.get(at).is_some_and(|range| range.contains(&node));
        is_cleared || !self.within.contains(&node)
    }

    /// Makes an excluded call and its whole tree suspicious again; the search goes on there.
    pub fn reopen(&mut self, forest: &Forest, node: u32) {
        let tree = forest.tree(node);
        let cleared = std::mem::take(&mut self.cleared).into_iter();
        let outside = |range: Range<u32>| {
            let before = range.start..range.end.min(tree.start);
            let behind = range.start.max(tree.end)..range.end;
            [before, behind].into_iter().filter(|part| part.start < part.end)
        };
        self.cleared = cleared.flat_map(outside).collect();
        self.invalid = None;
        self.influential = None;
        self.within = tree;
    }

    /// A call is invalid, and these calls below it influenced the wrong value. The others stay suspicious,
    /// since an omitted action is in no slice.
    pub fn invalid_with_influences(&mut self, forest: &Forest, node: u32, influential: BTreeSet<u32>) {
        self.invalid(forest, node);
        self.influential = Some(influential);
    }

    /// A call is invalid, but calls from `from` on may have given it wrong inputs, so these stay suspicious.
    /// The calls that influenced the wrong value are asked about first, if they are known.
    pub fn failed(&mut self, forest: &Forest, node: u32, from: u32, influential: Option<BTreeSet<u32>>) {
        let start = from.min(node).max(self.within.start);
        let end = self.within.end;
        self.invalid(forest, node);
        self.within = start..forest.tree(node).end.min(end).max(start);
        self.influential = influential;
    }

    /// The calls that influenced the wrong value and can still be suspicious; `None` if no answer named a
    /// wrong value.
    pub fn influential(&self) -> Option<impl Iterator<Item = u32>> {
        let these = self.influential.as_ref()?;
        // `BTreeSet::range` panics if the end is before the start.
        let end = self.within.end.max(self.within.start);
        Some(these.range(self.within.start..end).copied())
    }

    /// Whether a call influenced the wrong value.
    pub fn is_influential(&self, node: u32) -> bool {
        self.influential.as_ref().is_some_and(|these| these.contains(&node))
    }

    /// Trusts a method: its calls are not buggy, but calls below them can be.
    pub fn trust(&mut self, method: u32) {
        self.trusted.insert(method);
    }

    /// A call was given wrong inputs: an enclosing call or an earlier one is buggy.
    pub fn inadmissible(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.clear(node..forest.thread_of(node).end);
    }

    /// The answer about a call is unknown.
    pub fn unknown(&mut self, node: u32) {
        self.answered.insert(node);
        self.unknown.insert(node);
    }

    fn clear(&mut self, mut range: Range<u32>) {
        self.cleared.retain(|other| {
            let touches = other.start <= range.end && range.start <= other.end;
            if touches {
                range = other.start.min(range.start)..other.end.max(range.end);
            }
            !touches
        });
        let at = self.cleared.partition_point(|other| other.start < range.start);
        self.cleared.insert(at, range);
    }

    /// The innermost call known to be invalid.
    pub fn innermost_invalid(&self) -> Option<u32> {
        self.invalid
    }

    /// A range that contains all suspicious calls.
    pub fn within(&self) -> Range<u32> {
        self.within.clone()
    }

    /// The ranges of calls that were not cleared.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u32>> {
        let end = self.within.end;
        let starts = std::iter::once(self.within.start).chain(self.cleared.iter().map(|range| range.end));
        let ends = self.cleared.iter().map(|range| range.start).chain(std::iter::once(end));
        let all = starts.zip(ends).map(move |(from, to)| from.max(self.within.start)..to.min(end));
        all.filter(|range| range.start < range.end)
    }

    /// Whether a call is suspicious.
    pub fn holds(&self, forest: &Forest, node: u32) -> bool {
        let at = self.cleared.partition_point(|range| range.end <= node);
        let is_cleared = self.cleared.get(at).is_some_and(|range| range.contains(&node));
        self.within.contains(&node) && !is_cleared && !self.is_trusted(forest.method(node))
    }

    /// Whether any method is trusted.
    pub fn has_trusted(&self) -> bool {
        !self.trusted.is_empty()
    }

    /// Whether a method is trusted.
    pub fn is_trusted(&self, method: u32) -> bool {
        self.trusted.contains(&method)
    }

    /// Whether a call has an answer.
    pub fn is_answered(&self, node: u32) -> bool {
        !self.answered.is_empty() && self.answered.contains(&node)
    }

    /// The suspicious calls with the answer "unknown".
    pub fn undecided(&self, forest: &Forest) -> Vec<u32> {
        self.unknown.iter().copied().filter(|node| self.holds(forest, *node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call with three callees, the second of which has one.
    fn forest() -> Forest {
        let mut forest = Forest::default();
        for (size, method) in [(5, 0), (1, 1), (2, 1), (1, 2), (1, 3)] {
            forest.push(size, method, true);
        }
        forest.thread(0..5);
        forest
    }

    fn left(suspects: &Suspects, forest: &Forest) -> Vec<u32> {
        let all: Vec<u32> =
            suspects.ranges().flatten().filter(|node| !suspects.is_trusted(forest.method(*node))).collect();
        let one_by_one: Vec<u32> = (0..forest.count()).filter(|node| suspects.holds(forest, *node)).collect();
        assert_eq!(all, one_by_one);
        all
    }

    #[test]
    fn answers_leave_the_calls_that_can_be_buggy() {
        let forest = forest();
        let new = || Suspects::new(0..5);
        let after = |say: &dyn Fn(&mut Suspects)| {
            let mut suspects = new();
            say(&mut suspects);
            left(&suspects, &forest)
        };
        assert_eq!(after(&|_| ()), [0, 1, 2, 3, 4]);
        assert_eq!(after(&|s| s.valid(&forest, 2)), [0, 1, 4]);
        assert_eq!(after(&|s| s.invalid(&forest, 2)), [2, 3]);
        assert_eq!(after(&|s| s.trust(1)), [0, 3, 4]);
        assert_eq!(after(&|s| s.inadmissible(&forest, 2)), [0, 1]);
        let both = |s: &mut Suspects| {
            s.valid(&forest, 3);
            s.invalid(&forest, 2);
        };
        assert_eq!(after(&both), [2]);
        let all = |s: &mut Suspects| (1..5).rev().for_each(|node| s.valid(&forest, node));
        assert_eq!(after(&all), [0]);
        let mut unsure = new();
        unsure.unknown(1);
        unsure.unknown(3);
        unsure.valid(&forest, 2);
        assert_eq!((unsure.undecided(&forest), unsure.is_answered(1)), (vec![1], true));
    }

    #[test]
    fn what_prepared_a_failed_call_stays_suspicious() {
        let forest = forest();
        let mut suspects = Suspects::new(0..5);
        suspects.failed(&forest, 2, 1, Some(BTreeSet::from([3])));
        assert_eq!((left(&suspects, &forest), suspects.innermost_invalid()), (vec![1, 2, 3], Some(2)));
        let mut earlier = suspects.clone();
        earlier.invalid(&forest, 1);
        assert_eq!((left(&earlier, &forest), earlier.innermost_invalid()), (vec![1], Some(1)));
        suspects.invalid(&forest, 3);
        assert_eq!(left(&suspects, &forest), [3]);
    }

    #[test]
    fn calls_without_influence_stay_suspicious() {
        let forest = forest();
        let mut suspects = Suspects::new(0..5);
        let influential = |suspects: &Suspects| suspects.influential().map(|these| these.collect::<Vec<_>>());
        assert_eq!(influential(&suspects), None);
        suspects.invalid_with_influences(&forest, 0, BTreeSet::from([1, 3]));
        assert_eq!(left(&suspects, &forest), [0, 1, 2, 3, 4]);
        assert_eq!((influential(&suspects), suspects.is_influential(2)), (Some(vec![1, 3]), false));
        suspects.invalid(&forest, 2);
        assert_eq!((left(&suspects, &forest), influential(&suspects)), (vec![2, 3], Some(vec![3])));
    }
}
