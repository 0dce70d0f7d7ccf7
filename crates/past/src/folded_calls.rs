//! Lists of calls in which consecutive calls of one method, or of a few methods that take turns, are folded,
//! by row number.

use crate::call::Fold;
use std::ops::Range;
use trace::Calls;

/// Number of consecutive calls of one method, or of rounds of a few methods, that are shown before folding.
/// Up to twice as many are shown without folding.
const FIRST: usize = 3;
/// Maximum number of methods that take turns.
const TURNS: usize = 4;

/// Whose calls are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeParent {
    /// The outermost calls of a thread, by its number.
    Thread(u32),
    /// The callees of a call, by the number that is shown.
    Call(u32),
}

/// A list of calls, and how its rows follow each other.
pub(crate) struct FoldedCalls {
    /// The calls.
    pub nodes: Vec<u32>,
    stretches: Vec<Stretch>,
    /// Number of rows.
    pub count: usize,
}

/// Rows of which each shows a call, or one row of folded calls.
#[derive(Clone, Copy)]
struct Stretch {
    row: usize,
    index: usize,
    calls: usize,
    is_folded: bool,
}

/// The row that shows a call.
#[derive(Default)]
pub(crate) struct RowOfCall {
    pub row: usize,
    /// If it is folded: the indices of the folded calls, and its row among them.
    pub fold: Option<(Range<usize>, usize)>,
}

impl FoldedCalls {
    /// Folds calls. Of a long sequence of calls of one method, or of methods that take turns, the first ones
    /// keep rows of their own.
    pub fn of(calls: &Calls, nodes: Vec<u32>) -> FoldedCalls {
        let mut list = FoldedCalls { nodes, stretches: Vec::new(), count: 0 };
        let mut index = 0;
        while index < list.nodes.len() {
            let rest = list.nodes.get(index..).unwrap_or_default();
            let found = (1..=TURNS).map(|turns| (turns, repeated(calls, rest, turns)));
            match found.into_iter().find(|(turns, alike)| *alike > 2 * FIRST * turns) {
                Some((turns, alike)) => {
                    let first = FIRST * turns;
                    list.add(index, first, false);
                    list.add(index + first, alike - first, true);
                    index += alike;
                }
                None => {
                    list.add(index, 1, false);
                    index += 1;
                }
            }
        }
        list
    }

    fn add(&mut self, index: usize, calls: usize, is_folded: bool) {
        let last = self.stretches.last_mut().filter(|last| !last.is_folded && !is_folded);
        match last {
            Some(last) => last.calls += calls,
            None => self.stretches.push(Stretch { row: self.count, index, calls, is_folded }),
        }
        self.count += if is_folded { 1 } else { calls };
    }

    /// The calls of a row, by their indices, and whether they are folded.
    pub fn row(&self, row: usize) -> Option<(Range<usize>, bool)> {
        let behind = self.stretches.partition_point(|stretch| stretch.row <= row);
        let stretch = self.stretches.get(behind.checked_sub(1)?)?;
        if stretch.is_folded {
            return Some((stretch.index..stretch.index + stretch.calls, true));
        }
        let index = stretch.index + (row - stretch.row);
        (row < self.count).then_some((index..index + 1, false))
    }

    /// The row of a call.
    pub fn place(&self, node: u32) -> Option<RowOfCall> {
        let index = self.nodes.binary_search(&node).ok()?;
        let behind = self.stretches.partition_point(|stretch| stretch.index <= index);
        let stretch = self.stretches.get(behind.checked_sub(1)?)?;
        let inside = index - stretch.index;
        Some(match stretch.is_folded {
            true => {
                let fold = Some((stretch.index..stretch.index + stretch.calls, inside));
                RowOfCall { row: stretch.row, fold }
            }
            false => RowOfCall { row: stretch.row + inside, fold: None },
        })
    }
}

/// How many calls at the beginning are of as many methods that take turns.
fn repeated(calls: &Calls, nodes: &[u32], turns: usize) -> usize {
    let later = nodes.get(turns..).unwrap_or_default();
    let is_same = |(one, other): &(&u32, &u32)| calls.method_number(**one) == calls.method_number(**other);
    let again = nodes.iter().zip(later).take_while(is_same).count();
    // The last round counts only if it is whole.
    if again == 0 { 0 } else { (again + turns) / turns * turns }
}

/// Consecutive calls as one row, and the last call in or below them.
pub(crate) fn fold(calls: &Calls, nodes: &[u32]) -> (Fold, u32) {
    let (first, last) = (nodes.first().copied().unwrap_or(0), nodes.last().copied().unwrap_or(0));
    let end = last.saturating_add(calls.below(last));
    let methods = nodes.iter().take(TURNS).filter_map(|node| calls.method(*node));
    let mut names: Vec<String> = Vec::new();
    for name in methods.map(trace::Method::shown) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // All nodes from the first call to the end of the last one are these calls or below them.
    let inside = u64::from(end.saturating_sub(first)) + 1;
    let below = inside.saturating_sub(u64::try_from(nodes.len()).unwrap_or(u64::MAX));
    (Fold { folded: nodes.len(), method: names.join(", "), below }, end)
}
