//! The execution tree by row number: the calls of a thread or the callees of a call, in which consecutive
//! calls of one method are folded.

use crate::call::{CallShown, Fold};
use crate::error::PastError;
use crate::folded_calls::{FoldedCalls, RowOfCall, TreeParent, fold};
use crate::recording::Recording;
use serde::Serialize;
use std::ops::Range;

/// Maximum number of lists of calls that are kept.
const LISTS: usize = 8;
/// Maximum number of calls in these lists, unless one list has more.
const CALLS: usize = 12_000_000;
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
    /// The calls.
    #[serde(flatten)]
    pub fold: Fold,
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

impl Recording {
    /// At most `limit` rows of a list of calls, from a row on. With a `group`, the calls with these indices
    /// are the list, and none is folded.
    ///
    /// # Errors
    /// There is no such call, or the recording cannot be read.
    pub fn tree_rows(
        &mut self,
        parent: TreeParent,
        group: Option<Range<usize>>,
        from: usize,
        limit: usize,
    ) -> Result<TreeRows, PastError> {
        if let TreeParent::Call(call) = parent {
            self.node(call)?;
        }
        let list = self.siblings(parent);
        let shown = match &group {
            Some(group) => self.rows_of_group(&list, group, from, limit),
            None => self.rows_of_list(&list, from, limit),
        };
        self.keep_list(parent, list);
        shown
    }

    fn rows_of_group(
        &mut self,
        list: &FoldedCalls,
        group: &Range<usize>,
        from: usize,
        limit: usize,
    ) -> Result<TreeRows, PastError> {
        let group = group.start.min(list.nodes.len())..group.end.min(list.nodes.len());
        let nodes = list.nodes.get(group.clone()).unwrap_or_default();
        let mut rows = Vec::new();
        for (row, node) in nodes.iter().enumerate().skip(from).take(limit) {
            rows.push(TreeRow { row, kind: self.call_row(*node, group.start + row)? });
        }
        Ok(TreeRows { count: nodes.len(), rows })
    }

    fn rows_of_list(&mut self, list: &FoldedCalls, from: usize, limit: usize) -> Result<TreeRows, PastError> {
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

    fn call_row(&mut self, node: u32, index: usize) -> Result<TreeRowKind, PastError> {
        let calls = &mut self.calls;
        let no_such = PastError::NoSuchCall { node, calls: calls.count() };
        let call = Box::new(CallShown::of(calls, node)?.ok_or(no_such)?);
        Ok(TreeRowKind::Call { call, index })
    }

    fn fold_row(&self, nodes: &[u32], indices: &Range<usize>) -> FoldRow {
        let (fold, end) = fold(&self.calls, nodes);
        let first = nodes.first().copied().unwrap_or(0);
        FoldRow {
            fold,
            group: format!("{}-{}", indices.start, indices.end),
            calls: (self.calls.shown(first), self.calls.shown(end)),
        }
    }

    /// The way from the outermost call of a thread to a call, with the rows that show it; and the number of
    /// the thread.
    ///
    /// # Errors
    /// There is no such call.
    pub fn path_to(&mut self, call: u32) -> Result<(u32, Vec<PathStep>), PastError> {
        let node = self.node(call)?;
        let thread = self.calls.thread_number(node).unwrap_or_default();
        let mut steps = Vec::new();
        let mut at = Some(node);
        while let Some(node) = at {
            let parent = self.calls.parent(node);
            let of = parent
                .map_or(TreeParent::Thread(thread), |parent| TreeParent::Call(self.calls.shown(parent)));
            let list = self.siblings(of);
            let RowOfCall { row, fold } = list.place(node).unwrap_or_default();
            self.keep_list(of, list);
            let calls = &self.calls;
            let method = calls.method(node).map(trace::Method::shown);
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

    fn siblings(&mut self, parent: TreeParent) -> FoldedCalls {
        let known = self.kept.lists.iter().position(|(of, _)| *of == parent);
        if let Some((_, list)) = known.and_then(|at| self.kept.lists.remove(at)) {
            return list;
        }
        let nodes = match parent {
            TreeParent::Thread(thread) => self.calls.roots(thread),
            TreeParent::Call(call) => self.calls.children(self.calls.own(call)),
        };
        FoldedCalls::of(&self.calls, nodes)
    }

    fn keep_list(&mut self, parent: TreeParent, list: FoldedCalls) {
        let lists = &mut self.kept.lists;
        lists.push_front((parent, list));
        lists.truncate(LISTS);
        // A call can have millions of callees.
        while lists.len() > 1 && lists.iter().map(|(_, list)| list.nodes.len()).sum::<usize>() > CALLS {
            lists.pop_back();
        }
    }
}
