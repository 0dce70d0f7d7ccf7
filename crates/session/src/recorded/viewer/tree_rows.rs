//! The execution tree by row number: the calls of a thread or the callees of a call, in which consecutive
//! calls of one method are folded.

use super::{CALLS, LISTS, RecordedViewer};
use crate::error::SessionError;
use inspect::{CallShown, InspectError};
use serde::Serialize;
use std::collections::VecDeque;
use std::ops::Range;
use trace::Calls;

/// Number of consecutive calls of one method that are shown before folding. Up to twice as many are shown
/// without folding.
const FIRST: usize = 3;

/// Whose calls are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeParent {
    /// The outermost calls of a thread, by its number.
    Thread(u32),
    /// The callees of a call, by the number that is shown.
    Call(u32),
}

/// Some rows of a list of calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeRows {
    /// Number of rows of the list.
    pub count: usize,
    /// The rows.
    pub rows: Vec<TreeRow>,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TreeRow {
    /// Its number, from 0.
    pub row: usize,
    /// What it shows.
    #[serde(flatten)]
    pub kind: TreeRowKind,
}

/// What a row shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum TreeRowKind {
    /// A call.
    Call {
        /// The call.
        call: Box<CallShown>,
        /// Its index among the calls of the list, from 0.
        index: usize,
    },
    /// Folded calls of one method.
    Fold(FoldRow),
}

/// Folded calls of one method.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoldRow {
    /// Number of folded calls.
    pub folded: usize,
    /// Their method, as CLASS.METHOD.
    pub method: String,
    /// Number of calls below them.
    pub below: u64,
    /// The indices of the folded calls: the first, and the one after the last, as `3-1000`.
    pub group: String,
    /// The first folded call, and the last call in or below them.
    #[serde(skip)]
    pub calls: (u32, u32),
}

/// A call on the way from the outermost call to another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// The call.
    pub call: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// Its row in the list of its parent; that of the fold if it is folded.
    pub row: usize,
    /// The fold that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Its row in the fold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row_in_group: Option<usize>,
}

/// A list of calls, and how its rows follow each other.
pub(super) struct Siblings {
    /// Whose calls they are: the parent's node, or the number of the thread.
    of: (bool, u32),
    nodes: Vec<u32>,
    stretches: Vec<Stretch>,
    count: usize,
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
struct RowOfCall {
    row: usize,
    /// If it is folded: the indices of the folded calls, and its row among them.
    fold: Option<(Range<usize>, usize)>,
}

impl Siblings {
    fn of(calls: &Calls, of: (bool, u32)) -> Siblings {
        let nodes = if of.0 { calls.roots(of.1) } else { calls.children(of.1) };
        let mut list = Siblings { of, nodes, stretches: Vec::new(), count: 0 };
        let mut index = 0;
        while let Some(first) = list.nodes.get(index) {
            let method = calls.method_number(*first);
            let rest = list.nodes.get(index..).unwrap_or_default();
            let alike = rest.iter().take_while(|node| calls.method_number(**node) == method).count();
            if alike <= 2 * FIRST {
                list.add(index, alike, false);
            } else {
                list.add(index, FIRST, false);
                list.add(index + FIRST, alike - FIRST, true);
            }
            index += alike;
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
    fn row(&self, row: usize) -> Option<(Range<usize>, bool)> {
        let behind = self.stretches.partition_point(|stretch| stretch.row <= row);
        let stretch = self.stretches.get(behind.checked_sub(1)?)?;
        if stretch.is_folded {
            return Some((stretch.index..stretch.index + stretch.calls, true));
        }
        let index = stretch.index + (row - stretch.row);
        (row < self.count).then_some((index..index + 1, false))
    }

    /// The row of a call.
    fn place(&self, node: u32) -> Option<RowOfCall> {
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

impl RecordedViewer {
    /// At most `limit` rows of a list of calls, from a row on. With a `group`, the calls with these indices
    /// are the list, and none is folded.
    ///
    /// # Errors
    /// There is no such call, or the recording cannot be read.
    pub fn tree_rows(
        &mut self,
        parent: TreeParent,
        group: Option<Range<usize>>,
        (from, limit): (usize, usize),
    ) -> Result<TreeRows, SessionError> {
        let of = match parent {
            TreeParent::Thread(thread) => (true, thread),
            TreeParent::Call(call) => (false, self.node(call)?),
        };
        let list = self.list(of);
        let shown = match &group {
            Some(group) => self.rows_of_group(&list, group, from, limit),
            None => self.rows_of_list(&list, from, limit),
        };
        self.keep_list(list);
        shown
    }

    fn rows_of_group(
        &mut self,
        list: &Siblings,
        group: &Range<usize>,
        from: usize,
        limit: usize,
    ) -> Result<TreeRows, SessionError> {
        let group = group.start.min(list.nodes.len())..group.end.min(list.nodes.len());
        let nodes = list.nodes.get(group.clone()).unwrap_or_default();
        let mut rows = Vec::new();
        for (row, node) in nodes.iter().enumerate().skip(from).take(limit) {
            rows.push(TreeRow { row, kind: self.call_row(*node, group.start + row)? });
        }
        Ok(TreeRows { count: nodes.len(), rows })
    }

    fn rows_of_list(&mut self, list: &Siblings, from: usize, limit: usize) -> Result<TreeRows, SessionError> {
        let mut rows = Vec::new();
        for row in (from..list.count).take(limit) {
            let Some((indices, is_folded)) = list.row(row) else { break };
            let nodes = list.nodes.get(indices.clone()).unwrap_or_default();
            let Some(first) = nodes.first() else { break };
            let kind = match is_folded {
                true => TreeRowKind::Fold(self.fold_row(nodes, &indices)),
                false => self.call_row(*first, indices.start)?,
            };
            rows.push(TreeRow { row, kind });
        }
        Ok(TreeRows { count: list.count, rows })
    }

    fn call_row(&mut self, node: u32, index: usize) -> Result<TreeRowKind, SessionError> {
        let calls = &mut self.trace().calls;
        let no_such = InspectError::NoSuchCall { node, calls: calls.count() };
        let call = Box::new(CallShown::of(calls, node)?.ok_or(no_such)?);
        Ok(TreeRowKind::Call { call, index })
    }

    fn fold_row(&self, nodes: &[u32], indices: &Range<usize>) -> FoldRow {
        let calls = &self.recording().calls;
        let (first, last) = (nodes.first().copied().unwrap_or(0), nodes.last().copied().unwrap_or(0));
        let end = last.saturating_add(calls.below(last));
        let method = calls.method(first).map(|method| format!("{}.{}", method.class, method.name));
        // All nodes from the first call to the end of the last one are these calls or below them.
        let inside = u64::from(end.saturating_sub(first)) + 1;
        FoldRow {
            folded: nodes.len(),
            method: method.unwrap_or_default(),
            below: inside.saturating_sub(u64::try_from(nodes.len()).unwrap_or(u64::MAX)),
            group: format!("{}-{}", indices.start, indices.end),
            calls: (calls.shown(first), calls.shown(end)),
        }
    }

    /// The way from the outermost call of a thread to a call, with the rows that show it; and the number of
    /// the thread.
    ///
    /// # Errors
    /// There is no such call.
    pub fn path_to(&mut self, call: u32) -> Result<(u32, Vec<PathStep>), SessionError> {
        let node = self.node(call)?;
        let thread = self.recording().calls.thread_number(node).unwrap_or_default();
        let mut steps = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            let parent = self.recording().calls.parent(node);
            let list = self.list(parent.map_or((true, thread), |parent| (false, parent)));
            let RowOfCall { row, fold } = list.place(node).unwrap_or_default();
            self.keep_list(list);
            let calls = &self.recording().calls;
            let method = calls.method(node).map(|method| format!("{}.{}", method.class, method.name));
            steps.push(PathStep {
                call: calls.shown(node),
                method: method.unwrap_or_default(),
                row,
                group: fold.as_ref().map(|(fold, _)| format!("{}-{}", fold.start, fold.end)),
                row_in_group: fold.map(|(_, row)| row),
            });
            at = parent;
        }
        steps.reverse();
        Ok((thread, steps))
    }

    fn list(&mut self, of: (bool, u32)) -> Siblings {
        let known = self.lists.iter().position(|list| list.of == of);
        known
            .and_then(|at| self.lists.remove(at))
            .unwrap_or_else(|| Siblings::of(&self.recording().calls, of))
    }

    fn keep_list(&mut self, list: Siblings) {
        self.lists.push_front(list);
        self.lists.truncate(LISTS);
        // A call can have millions of callees.
        let all = |lists: &VecDeque<Siblings>| lists.iter().map(|list| list.nodes.len()).sum::<usize>();
        while self.lists.len() > 1 && all(&self.lists) > CALLS {
            self.lists.pop_back();
        }
    }
}
