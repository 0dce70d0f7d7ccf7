//! The shape of the execution trees of a run: calls by number, in the order in which their threads entered
//! them.

use std::ops::Range;

/// Execution trees. A call's number is its place in the order of entries, so those below it follow it.
#[derive(Clone, Debug, Default)]
pub struct Forest {
    /// By call: how many calls there are in its tree, itself one of them.
    sizes: Vec<u32>,
    /// By call: its method.
    methods: Vec<u32>,
    /// By call: whether it has ended, so that something can be said about it.
    ended: Vec<bool>,
    /// By call: whether its caller is a call of the same method, so that it is one step of a recursion.
    repeats: Vec<bool>,
    /// The calls around the last one: where their trees end, their methods, and whether they are steps of a
    /// recursion.
    open: Vec<(u32, u32, bool)>,
    /// The calls of each thread.
    threads: Vec<Range<u32>>,
}

/// A call as it stands in the trees.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The call.
    pub node: u32,
    /// How many calls there are in its tree.
    pub size: u32,
    /// Its method.
    pub method: u32,
    /// Whether it has ended.
    pub ended: bool,
    /// Whether it is one step of a recursion.
    pub repeats: bool,
}

impl Forest {
    /// Without calls, with room for so many.
    pub fn with_room(calls: usize) -> Forest {
        Forest {
            sizes: Vec::with_capacity(calls),
            methods: Vec::with_capacity(calls),
            ended: Vec::with_capacity(calls),
            repeats: Vec::with_capacity(calls),
            ..Forest::default()
        }
    }

    /// The next call: the size of its tree, its method, and whether it has ended.
    pub fn push(&mut self, size: u32, method: u32, ended: bool) {
        let repeats = self.around().is_some_and(|(around, _)| around == method);
        self.next(size, method, ended, repeats);
    }

    /// A part of the call that is around: a node of the same method, and of the same step of a recursion.
    pub fn push_part(&mut self, size: u32, ended: bool) {
        let (method, repeats) = self.around().unwrap_or((u32::MAX, false));
        self.next(size, method, ended, repeats);
    }

    /// The method of the call around the next node, and whether that is a step of a recursion.
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

    /// Further calls of one thread.
    pub fn thread(&mut self, calls: Range<u32>) {
        self.threads.push(calls);
    }

    /// How many calls there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.sizes.len()).unwrap_or(u32::MAX)
    }

    fn at<T: Copy>(of: &[T], node: u32) -> Option<T> {
        of.get(usize::try_from(node).ok()?).copied()
    }

    /// A call and those below it.
    pub fn tree(&self, node: u32) -> Range<u32> {
        let size = Forest::at(&self.sizes, node).unwrap_or(0);
        // A table that was changed can say anything, and a call that it does not have has no tree.
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

    /// The calls of the thread of a call.
    pub fn thread_of(&self, node: u32) -> Range<u32> {
        self.threads.iter().find(|calls| calls.contains(&node)).cloned().unwrap_or(0..self.count())
    }

    /// Whether a call is made by one of the same method, with nothing between: one step of a recursion.
    pub fn repeats_its_caller(&self, node: u32) -> bool {
        Forest::at(&self.repeats, node).unwrap_or(false)
    }

    /// A call as it stands in the trees; none if there is no such call.
    pub fn row(&self, node: u32) -> Option<Row> {
        Some(Row {
            node,
            size: Forest::at(&self.sizes, node)?,
            method: Forest::at(&self.methods, node)?,
            ended: Forest::at(&self.ended, node)?,
            repeats: Forest::at(&self.repeats, node)?,
        })
    }

    /// Calls that follow each other, as they stand in the trees.
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

    /// The calls that a call has made.
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
    fn a_part_of_a_call_is_no_step_of_a_recursion_but_what_is_called_in_it_can_be() {
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
