//! The calls that can be buggy: the suspicious set of JHyde §2.2, kept as ranges of calls.

use super::forest::Forest;
use std::collections::BTreeSet;
use std::ops::Range;

/// The suspicious calls.
#[derive(Clone, Debug, Default)]
pub struct Suspects {
    /// The innermost call that is known to be invalid.
    invalid: Option<u32>,
    /// All suspicious calls are in here.
    within: Range<u32>,
    /// And in none of these, which are sorted and do not touch each other.
    cleared: Vec<Range<u32>>,
    /// Nor of these methods.
    trusted: BTreeSet<u32>,
    /// Calls of which something was said.
    answered: BTreeSet<u32>,
    /// Those of which someone did not know.
    unknown: BTreeSet<u32>,
    /// Those that have influenced what somebody has pointed at: they are judged before all others.
    influential: Option<BTreeSet<u32>>,
}

impl Suspects {
    /// All of these.
    pub fn new(within: Range<u32>) -> Suspects {
        Suspects { within, ..Suspects::default() }
    }

    /// A call is valid: so is what is below it.
    pub fn valid(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.clear(forest.tree(node));
    }

    /// A call is invalid: it or one below it is buggy.
    pub fn invalid(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.invalid = Some(node);
        let tree = forest.tree(node);
        let start = tree.start.max(self.within.start);
        self.within = start..tree.end.min(self.within.end).max(start);
    }

    /// Something was said of a call, and nothing follows from that.
    pub fn said(&mut self, node: u32) {
        self.answered.insert(node);
    }

    /// Whether a call is around the innermost one that is known to be invalid.
    pub fn is_around_invalid(&self, forest: &Forest, node: u32) -> bool {
        self.invalid.is_some_and(|invalid| node < invalid && forest.tree(node).contains(&invalid))
    }

    /// Whether a call was ruled out: by an answer about one around it, or since another one is known to be
    /// invalid.
    pub fn is_ruled_out(&self, node: u32) -> bool {
        let at = self.cleared.partition_point(|range| range.end <= node);
        let is_cleared = self.cleared.get(at).is_some_and(|range| range.contains(&node));
        is_cleared || !self.within.contains(&node)
    }

    /// A call that was ruled out is suspicious all the same, with all below it; the search goes on there.
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

    /// A call is invalid, and of those below it these have influenced what is wrong. The others stay
    /// suspicious: what somebody should have done and has not leaves no trace.
    pub fn wrong(&mut self, forest: &Forest, node: u32, influential: BTreeSet<u32>) {
        self.invalid(forest, node);
        self.influential = Some(influential);
    }

    /// The calls that have influenced what somebody has pointed at, as far as they can still be among the
    /// suspicious ones; none where nobody has.
    pub fn influential(&self) -> Option<impl Iterator<Item = u32>> {
        let these = self.influential.as_ref()?;
        // A range that ends before it begins is no range of a set.
        let end = self.within.end.max(self.within.start);
        Some(these.range(self.within.start..end).copied())
    }

    /// Whether a call has influenced what somebody has pointed at.
    pub fn is_influential(&self, node: u32) -> bool {
        self.influential.as_ref().is_some_and(|these| these.contains(&node))
    }

    /// The calls of a method are not buggy; those below them can be.
    pub fn trust(&mut self, method: u32) {
        self.trusted.insert(method);
    }

    /// What a call was given was wrong: something before it is buggy, a call around it or one that had begun
    /// before.
    pub fn inadmissible(&mut self, forest: &Forest, node: u32) {
        self.answered.insert(node);
        self.clear(node..forest.thread_of(node).end);
    }

    /// Nobody knows.
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

    /// The innermost call that is known to be invalid.
    pub fn innermost_invalid(&self) -> Option<u32> {
        self.invalid
    }

    /// All suspicious calls are among these.
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
    pub fn trusts(&self) -> bool {
        !self.trusted.is_empty()
    }

    /// Whether a method is trusted.
    pub fn is_trusted(&self, method: u32) -> bool {
        self.trusted.contains(&method)
    }

    /// Whether something was said of a call.
    pub fn is_answered(&self, node: u32) -> bool {
        !self.answered.is_empty() && self.answered.contains(&node)
    }

    /// The calls of which someone did not know, as far as they are still suspicious.
    pub fn undecided(&self, forest: &Forest) -> Vec<u32> {
        self.unknown.iter().copied().filter(|node| self.holds(forest, *node)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call with three below it, of which the second has one.
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
    fn answers_leave_what_can_be_buggy() {
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
    fn what_has_influenced_a_value_leaves_nothing_out() {
        let forest = forest();
        let mut suspects = Suspects::new(0..5);
        let influential = |suspects: &Suspects| suspects.influential().map(|these| these.collect::<Vec<_>>());
        assert_eq!(influential(&suspects), None);
        suspects.wrong(&forest, 0, BTreeSet::from([1, 3]));
        assert_eq!(left(&suspects, &forest), [0, 1, 2, 3, 4]);
        assert_eq!((influential(&suspects), suspects.is_influential(2)), (Some(vec![1, 3]), false));
        suspects.invalid(&forest, 2);
        assert_eq!((left(&suspects, &forest), influential(&suspects)), (vec![2, 3], Some(vec![3])));
    }
}
