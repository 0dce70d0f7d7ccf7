//! The shape of a run's execution trees. Calls are numbered in the order in which their threads entered them.

use std::ops::Range;

/// Execution trees. A call's number is its index in the order of entries, so its descendants follow it.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// By call: number of calls in its tree, including itself.
    sizes: Vec<u32>,
    /// By call: the number of its method.
    methods: Vec<u32>,
    /// By call: whether it has ended; only ended calls can be judged.
    ended: Vec<bool>,
    /// By call: whether its caller runs the same method, so that it is a recursion step.
    repeats: Vec<bool>,
    /// The callers of the last call: end of tree, method, and whether each is a recursion step.
    open: Vec<(u32, u32, bool)>,
    /// The calls of each thread.
    threads: Vec<Range<u32>>,
}

/// The data of one call.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The call.
    pub node: u32,
    /// Number of calls in its tree, including itself.
    pub size: u32,
    /// The number of its method.
    pub method: u32,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it is a recursion step.
    pub repeats: bool,
}

impl Forest {
    /// An empty forest with capacity for `calls` calls.
    pub fn with_capacity(calls: usize) -> Forest {
        Forest {
            sizes: Vec::with_capacity(calls),
            methods: Vec::with_capacity(calls),
            ended: Vec::with_capacity(calls),
            repeats: Vec::with_capacity(calls),
            ..Forest::default()
        }
    }

    /// Adds the next call.
    pub fn push(&mut self, size: u32, method: u32, ended: bool) {
        let repeats = self.around().is_some_and(|(around, _)| around == method);
        self.next(size, method, ended, repeats);
    }

    /// Adds a part of the enclosing call, such as a loop: a node with the same method and recursion step.
    pub fn push_part(&mut self, size: u32, ended: bool) {
        let (method, repeats) = self.around().unwrap_or((u32::MAX, false));
        self.next(size, method, ended, repeats);
    }

    /// The method of the node that encloses the next one, and whether that node is a recursion step.
    fn around(&mut self) -> Option<(u32, bool)> {
        let node = self.count();
        while self.open.pop_if(|(end, ..)| *end <= node).is_some() {}
        self.open.last().map(|(_, method, repeats)| (*method, *repeats))
    }

    fn next(&mut self, size: u32, method: u32, ended: bool, repeats: bool) {
        let size = size.max(1);
        self.open.push((self.count().saturating_add(size), method, repeats));
        self.sizes.push(size);
        self.methods.push(method);
        self.ended.push(ended);
        self.repeats.push(repeats);
    }

    /// Declares a range of calls as one thread.
    pub fn thread(&mut self, calls: Range<u32>) {
        self.threads.push(calls);
    }

    /// Number of calls.
    pub fn count(&self) -> u32 {
        u32::try_from(self.sizes.len()).unwrap_or(u32::MAX)
    }

    fn at<T: Copy>(of: &[T], node: u32) -> Option<T> {
        of.get(usize::try_from(node).ok()?).copied()
    }

    /// A call and all calls below it.
    pub fn tree(&self, node: u32) -> Range<u32> {
        let size = Forest::at(&self.sizes, node).unwrap_or(0);
        // A damaged table can hold any size; a missing call has an empty tree.
        node..node.saturating_add(size).min(self.count()).max(node)
    }

    /// The method of a call, by its number.
    pub fn method(&self, node: u32) -> u32 {
        Forest::at(&self.methods, node).unwrap_or(u32::MAX)
    }

    /// Whether a call has ended.
    pub fn has_ended(&self, node: u32) -> bool {
        Forest::at(&self.ended, node).unwrap_or(false)
    }

    /// The calls of the same thread.
    pub fn thread_of(&self, node: u32) -> Range<u32> {
        self.threads.iter().find(|calls| calls.contains(&node)).cloned().unwrap_or(0..self.count())
    }

    /// Whether the caller runs the same method: the call is a recursion step.
    pub fn repeats_its_caller(&self, node: u32) -> bool {
        Forest::at(&self.repeats, node).unwrap_or(false)
    }

    /// The data of a call; `None` if there is no such call.
    pub fn row(&self, node: u32) -> Option<Row> {
        Some(Row {
            node,
            size: Forest::at(&self.sizes, node)?,
            method: Forest::at(&self.methods, node)?,
            ended: Forest::at(&self.ended, node)?,
            repeats: Forest::at(&self.repeats, node)?,
        })
    }

    /// The data of consecutive calls.
    pub fn rows(&self, calls: Range<u32>) -> impl Iterator<Item = Row> {
        let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
        let range = place(calls.start)..place(calls.end).min(self.sizes.len());
        let sizes = self.sizes.get(range.clone()).unwrap_or_default();
        let methods = self.methods.get(range.clone()).unwrap_or_default();
        let ended = self.ended.get(range.clone()).unwrap_or_default();
        let repeats = self.repeats.get(range).unwrap_or_default();
        let rows = sizes.iter().zip(methods).zip(ended.iter().zip(repeats));
        (calls.start..).zip(rows).map(|(node, ((size, method), (ended, repeats)))| Row {
            node,
            size: *size,
            method: *method,
            ended: *ended,
            repeats: *repeats,
        })
    }

    /// The direct callees of a call.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let end = self.tree(node).end;
        let mut next = node.saturating_add(1);
        std::iter::from_fn(move || {
            let child = next;
            next = self.tree(child).end.max(child.saturating_add(1));
            (child < end).then_some(child)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_below_follow_their_caller() {
        let mut forest = Forest::default();
        for (size, method) in [(5, 0), (1, 1), (2, 1), (1, 1), (1, 3)] {
            forest.push(size, method, true);
        }
        forest.thread(0..5);
        assert_eq!(forest.tree(2), 2..4);
        assert_eq!(forest.children(0).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(forest.children(4).count(), 0);
        assert_eq!(forest.thread_of(3), 0..5);
        assert_eq!((0..5).filter(|node| forest.repeats_its_caller(*node)).collect::<Vec<_>>(), [3]);
    }
    #[test]
    fn a_part_of_a_call_is_no_recursion_step_but_its_callees_can_be() {
        let mut forest = Forest::default();
        forest.push(6, 0, true);
        forest.push_part(5, true);
        forest.push(3, 0, true);
        forest.push_part(2, false);
        forest.push(1, 1, true);
        forest.push_part(1, true);
        forest.thread(0..6);
        assert_eq!((0..6).map(|node| forest.method(node)).collect::<Vec<_>>(), [0, 0, 0, 0, 1, 0]);
        let repeats = (0..6).filter(|node| forest.repeats_its_caller(*node)).collect::<Vec<_>>();
        assert_eq!((repeats, forest.has_ended(3)), (vec![2, 3], false));
        assert_eq!(forest.children(1).collect::<Vec<_>>(), [2, 5]);
    }
}
