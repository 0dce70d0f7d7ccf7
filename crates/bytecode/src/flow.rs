//! Dominance on plain directed graphs, independent of bytecode so that it can be tested on random graphs.
//! Nodes are numbers from 0; petgraph computes the dominators.

use petgraph::algo::{dominators::simple_fast, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::HashSet;

/// A graph with entries: the successors of each node.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) successors: Vec<Vec<usize>>,
    /// Where flow starts: the method's entry and, in a graph without exception edges, each handler.
    pub(crate) entries: Vec<usize>,
}

/// A dominator tree below a virtual root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The immediate dominator; `None` for children of the virtual root and for unreachable nodes.
    pub(crate) parent: Vec<Option<usize>>,
    /// Whether the node is reachable.
    pub(crate) reached: Vec<bool>,
    /// The depth below the virtual root.
    depth: Vec<u32>,
}

impl Tree {
    fn of(graph: &DiGraph<(), ()>, root: NodeIndex, nodes: usize) -> Tree {
        let dominators = simple_fast(graph, root);
        let mut tree = Tree { parent: vec![None; nodes], reached: vec![false; nodes], depth: vec![0; nodes] };
        for node in 0..nodes {
            let immediate = dominators.immediate_dominator(NodeIndex::new(node));
            if let (Some(parent), Some(reached)) = (tree.parent.get_mut(node), tree.reached.get_mut(node)) {
                *reached = immediate.is_some();
                *parent = immediate.filter(|d| *d != root).map(|d| d.index());
            }
        }
        for node in 0..nodes {
            let depth = u32::try_from(tree.chain(node).count()).unwrap_or(u32::MAX);
            if let Some(slot) = tree.depth.get_mut(node) {
                *slot = depth;
            }
        }
        tree
    }

    /// The node, its immediate dominator, and so on up to the root.
    pub(crate) fn chain(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |n| self.parent.get(*n).copied().flatten())
    }

    pub(crate) fn immediate(&self, node: usize) -> Option<usize> {
        self.parent.get(node).copied().flatten()
    }

    pub(crate) fn is_reached(&self, node: usize) -> bool {
        self.reached.get(node).copied().unwrap_or(false)
    }

    /// Whether `above` lies on every path from the root to `node`. A node dominates itself.
    pub(crate) fn dominates(&self, above: usize, node: usize) -> bool {
        if !self.is_reached(above) || !self.is_reached(node) {
            return false;
        }
        let depth = self.depth.get(above).copied().unwrap_or(0);
        let mut current = node;
        while self.depth.get(current).copied().unwrap_or(0) > depth {
            match self.immediate(current) {
                Some(parent) => current = parent,
                None => return false,
            }
        }
        current == above
    }

    /// The nearest node that dominates both; `None` if only the virtual root does.
    pub(crate) fn common(&self, a: usize, b: usize) -> Option<usize> {
        self.chain(a).find(|candidate| self.dominates(*candidate, b))
    }
}

impl Flow {
    fn next(&self, node: usize) -> &[usize] {
        self.successors.get(node).map_or(&[], Vec::as_slice)
    }

    /// Dominators from a virtual root that precedes all entries.
    pub(crate) fn dominators(&self) -> Tree {
        let nodes = self.successors.len();
        let mut graph = with_nodes(nodes + 1);
        let root = NodeIndex::new(nodes);
        for entry in &self.entries {
            graph.add_edge(root, NodeIndex::new(*entry), ());
        }
        for (from, to) in self.edges() {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
        }
        Tree::of(&graph, root, nodes)
    }

    /// Post-dominators: the dominators of the reversed graph, from a virtual exit after all exits. Additional
    /// nodes are the virtual exits of infinite loops, see [`Flow::with_exits`].
    pub(crate) fn post_dominators(&self) -> Tree {
        let (flow, exits) = self.with_exits();
        let nodes = flow.successors.len();
        let mut graph = with_nodes(nodes + 1);
        let exit = NodeIndex::new(nodes);
        for (from, to) in flow.edges() {
            graph.add_edge(NodeIndex::new(to), NodeIndex::new(from), ());
        }
        for node in exits {
            graph.add_edge(exit, NodeIndex::new(node), ());
        }
        Tree::of(&graph, exit, nodes)
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.successors.iter().enumerate().flat_map(|(from, next)| next.iter().map(move |to| (from, *to)))
    }

    /// A graph in which every node reaches an exit, with its exits: the nodes without successors, and an
    /// additional node on each back edge of an infinite loop. Such a loop could end at its back edge, so what
    /// follows the back edge does not depend on how it was reached.
    pub(crate) fn with_exits(&self) -> (Flow, Vec<usize>) {
        let nodes = self.successors.len();
        let mut exits: Vec<usize> = (0..nodes).filter(|n| self.next(*n).is_empty()).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (from, to) in self.edges() {
            if let Some(list) = before.get_mut(to) {
                list.push(from);
            }
        }
        let backwards = Flow { successors: before, entries: Vec::new() };
        let reaches = backwards.reachable(&exits, |_, _| true);
        let mut flow = self.clone();
        if reaches.iter().all(|r| *r) {
            return (flow, exits);
        }
        let mut graph = with_nodes(nodes);
        for (from, to) in self.edges() {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
        }
        for component in tarjan_scc(&graph) {
            let members: HashSet<usize> = component.iter().map(|n| n.index()).collect();
            let closed = members.iter().all(|n| {
                reaches.get(*n) == Some(&false) && self.next(*n).iter().all(|to| members.contains(to))
            });
            if !closed {
                continue;
            }
            let mut ordered: Vec<usize> = members.into_iter().collect();
            ordered.sort_unstable();
            for from in ordered {
                for position in 0..self.next(from).len() {
                    let turn = flow.successors.len();
                    let Some(to) = flow.successors.get_mut(from).and_then(|next| next.get_mut(position))
                    else {
                        continue;
                    };
                    if *to <= from {
                        let header = std::mem::replace(to, turn);
                        flow.successors.push(vec![header]);
                        exits.push(turn);
                    }
                }
            }
        }
        (flow, exits)
    }

    /// The nodes reachable from `starts` (included) over edges that satisfy `allowed`.
    pub(crate) fn reachable(&self, starts: &[usize], allowed: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        let mut seen = vec![false; self.successors.len()];
        let mut work = starts.to_vec();
        while let Some(node) = work.pop() {
            if let Some(slot) = seen.get_mut(node)
                && !*slot
            {
                *slot = true;
                work.extend(self.next(node).iter().copied().filter(|to| allowed(node, *to)));
            }
        }
        seen
    }

    /// For each node, whether a maximal path from it never passes `node`: a path that ends at a node without
    /// successors, or cycles forever. Only cycles whose edges all satisfy `endless` can continue forever.
    pub(crate) fn avoiding(&self, node: usize, endless: impl Fn(usize, usize) -> bool) -> Vec<bool> {
        let nodes = self.successors.len();
        let mut cycles = with_nodes(nodes);
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (from, to) in self.edges().filter(|(from, to)| *from != node && *to != node) {
            if let Some(list) = before.get_mut(to) {
                list.push(from);
            }
            if endless(from, to) {
                cycles.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
            }
        }
        let mut ends: Vec<usize> = (0..nodes).filter(|n| *n != node && self.next(*n).is_empty()).collect();
        for component in tarjan_scc(&cycles) {
            match component.as_slice() {
                [only] if !cycles.contains_edge(*only, *only) => {}
                turning => ends.extend(turning.iter().map(|n| n.index())),
            }
        }
        Flow { successors: before, entries: Vec::new() }.reachable(&ends, |_, _| true)
    }
}

fn with_nodes(count: usize) -> DiGraph<(), ()> {
    let mut graph = DiGraph::new();
    for _ in 0..count {
        graph.add_node(());
    }
    graph
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn graphs() -> impl Strategy<Value = Flow> {
        (1usize..12).prop_flat_map(|n| {
            proptest::collection::vec(proptest::collection::vec(0..n, 0..4), n)
                .prop_map(|successors| Flow { successors, entries: vec![0] })
        })
    }

    /// By definition, `a` dominates `b` if removing `a` makes `b` unreachable.
    fn naive_dominates(flow: &Flow, a: usize, b: usize) -> bool {
        let all = flow.reachable(&[0], |_, _| true);
        if !all[a] || !all[b] {
            return false;
        }
        if a == b || a == 0 {
            return true;
        }
        !flow.reachable(&[0], |_, to| to != a)[b]
    }

    /// By definition, `a` post-dominates `b` if removing `a` makes every exit unreachable from `b`.
    fn naive_post_dominates(flow: &Flow, exits: &[usize], a: usize, b: usize) -> bool {
        let seen = flow.reachable(&[b], |_, to| to != a);
        a == b || exits.iter().all(|exit| !seen[*exit])
    }

    proptest! {
        #[test]
        fn dominators_agree_with_the_definition(flow in graphs()) {
            let tree = flow.dominators();
            for a in 0..flow.successors.len() {
                for b in 0..flow.successors.len() {
                    prop_assert_eq!(tree.dominates(a, b), naive_dominates(&flow, a, b), "{} over {}", a, b);
                }
            }
        }

        #[test]
        fn post_dominators_agree_with_the_definition(flow in graphs()) {
            let tree = flow.post_dominators();
            let (with_exits, exits) = flow.with_exits();
            for a in 0..flow.successors.len() {
                for b in 0..flow.successors.len() {
                    prop_assert!(tree.is_reached(a), "{} reaches no exit", a);
                    let expected = naive_post_dominates(&with_exits, &exits, a, b);
                    prop_assert_eq!(tree.dominates(a, b), expected, "{} over {}", a, b);
                }
            }
        }

        #[test]
        fn avoiding_paths_agree_with_the_definition(flow in graphs()) {
            for x in 0..flow.successors.len() {
                let avoids = flow.avoiding(x, |_, _| true);
                for from in (0..flow.successors.len()).filter(|from| *from != x) {
                    // A path longer than the number of nodes contains a cycle and can continue forever.
                    let mut at = vec![from];
                    let mut ended = false;
                    for _ in 0..=flow.successors.len() {
                        ended |= at.iter().any(|n| flow.successors[*n].is_empty());
                        at = at.iter().flat_map(|n| flow.successors[*n].iter().copied()).filter(|n| *n != x).collect();
                        at.sort_unstable();
                        at.dedup();
                    }
                    prop_assert_eq!(avoids[from], ended || !at.is_empty(), "{} from {}", x, from);
                }
            }
        }

        #[test]
        fn avoiding_equals_post_dominance_if_loops_terminate(flow in graphs()) {
            // The property holds if every node reaches an exit and no cycle continues forever.
            let exits: Vec<usize> = (0..flow.successors.len()).filter(|n| flow.successors[*n].is_empty()).collect();
            let reaches = |from: usize| {
                let seen = flow.reachable(&[from], |_, _| true);
                exits.iter().any(|exit| seen[*exit])
            };
            prop_assume!((0..flow.successors.len()).all(reaches));
            let post = flow.post_dominators();
            for x in 0..flow.successors.len() {
                let avoids = flow.avoiding(x, |_, _| false);
                for from in (0..flow.successors.len()).filter(|from| *from != x) {
                    prop_assert_eq!(!avoids[from], post.dominates(x, from), "{} from {}", x, from);
                }
            }
        }
    }

    #[test]
    fn an_infinite_loop_could_end_at_its_back_edge() {
        // 0 -> 1 -> (2 | 3), 2 -> 3, 3 -> 1
        let flow = Flow { successors: vec![vec![1], vec![2, 3], vec![3], vec![1]], entries: vec![0] };
        assert_eq!(flow.with_exits().1, [4]);
        let post = flow.post_dominators();
        assert!(!post.dominates(2, 1) && post.dominates(3, 1));
        // A path can avoid node 2 forever, but not node 3.
        assert_eq!(flow.avoiding(2, |_, _| true), [true, true, false, true]);
        assert_eq!(flow.avoiding(3, |_, _| true), [false; 4]);
    }
}
