//! Dominance on plain directed graphs: the part of the analyses that knows no bytecode, so that it can be tested on
//! random graphs. Nodes are numbers from 0; the dominator algorithm itself is petgraph's.

use petgraph::algo::{dominators::simple_fast, tarjan_scc};
use petgraph::graph::{DiGraph, NodeIndex};

/// A graph with entries: successors of each node.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) successors: Vec<Vec<usize>>,
    /// Where flow starts: the method's entry and, in the graph without exception edges, each handler.
    pub(crate) entries: Vec<usize>,
}

/// Immediate dominators; the parent of a top node is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Immediate dominator; none for roots (children of the virtual root) and unreachable nodes.
    pub(crate) parent: Vec<Option<usize>>,
    /// Whether the node is in the tree at all.
    pub(crate) reached: Vec<bool>,
    /// Depth below the virtual root.
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

    /// The node, its dominator, that one's dominator, up to the top.
    pub(crate) fn chain(&self, node: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(node), |n| self.parent.get(*n).copied().flatten())
    }

    pub(crate) fn immediate(&self, node: usize) -> Option<usize> {
        self.parent.get(node).copied().flatten()
    }

    pub(crate) fn is_reached(&self, node: usize) -> bool {
        self.reached.get(node).copied().unwrap_or(false)
    }

    /// Whether `above` is on every path from the root to `node`; a node dominates itself.
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

    /// Nearest node that dominates both; none where that is only the virtual root.
    pub(crate) fn common(&self, a: usize, b: usize) -> Option<usize> {
        self.chain(a).find(|candidate| self.dominates(*candidate, b))
    }
}

impl Flow {
    fn next(&self, node: usize) -> &[usize] {
        self.successors.get(node).map_or(&[], Vec::as_slice)
    }

    /// Dominators from a virtual root above all entries.
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

    /// Post-dominators: dominators of the reversed graph from a virtual exit below all exits.
    pub(crate) fn post_dominators(&self) -> Tree {
        let nodes = self.successors.len();
        let mut graph = with_nodes(nodes + 1);
        let exit = NodeIndex::new(nodes);
        for (from, to) in self.edges() {
            graph.add_edge(NodeIndex::new(to), NodeIndex::new(from), ());
        }
        for node in self.exits() {
            graph.add_edge(exit, NodeIndex::new(node), ());
        }
        Tree::of(&graph, exit, nodes)
    }

    pub(crate) fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.successors.iter().enumerate().flat_map(|(from, next)| next.iter().map(move |to| (from, *to)))
    }

    /// Nodes with an edge to the virtual exit: those without successors, and the ends of the turns of loops that are
    /// never left (a node that jumps backwards inside such a loop), so that every node reaches the exit.
    pub(crate) fn exits(&self) -> Vec<usize> {
        let nodes = self.successors.len();
        let mut exits: Vec<usize> = (0..nodes).filter(|n| self.next(*n).is_empty()).collect();
        let mut reaches = vec![false; nodes];
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (from, to) in self.edges() {
            if let Some(list) = before.get_mut(to) {
                list.push(from);
            }
        }
        let mut work = exits.clone();
        while let Some(node) = work.pop() {
            if let Some(seen) = reaches.get_mut(node)
                && !*seen
            {
                *seen = true;
                work.extend(before.get(node).into_iter().flatten());
            }
        }
        if reaches.iter().all(|r| *r) {
            return exits;
        }
        let mut graph = with_nodes(nodes);
        for (from, to) in self.edges() {
            graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
        }
        for component in tarjan_scc(&graph) {
            let mut inside = vec![false; nodes];
            for node in &component {
                if let Some(slot) = inside.get_mut(node.index()) {
                    *slot = true;
                }
            }
            let is_in = |n: usize| inside.get(n).copied().unwrap_or(false);
            let closed = component.iter().all(|n| {
                !reaches.get(n.index()).copied().unwrap_or(true)
                    && self.next(n.index()).iter().all(|t| is_in(*t))
            });
            if closed {
                exits.extend(
                    component.iter().map(|n| n.index()).filter(|n| self.next(*n).iter().any(|to| to <= n)),
                );
            }
        }
        exits.sort_unstable();
        exits.dedup();
        exits
    }

    /// Nodes reachable from `starts` (themselves included) over edges that `allowed` lets through.
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

    /// Direct control dependence (Ferrante, Ottenstein and Warren 1987): for each node, the edges `(a, s)` such that
    /// it post-dominates `s` (or is `s`) and does not strictly post-dominate `a`. Edges of nodes with a single real
    /// successor decide nothing and are left out.
    pub(crate) fn control_dependence(&self, post: &Tree) -> Vec<Vec<(usize, usize)>> {
        let mut found: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.successors.len()];
        for (a, next) in self.successors.iter().enumerate() {
            let mut targets = next.clone();
            targets.sort_unstable();
            targets.dedup();
            if targets.len() < 2 {
                continue;
            }
            let stop = post.immediate(a);
            for target in targets {
                for node in post.chain(target) {
                    if Some(node) == stop {
                        break;
                    }
                    if let Some(list) = found.get_mut(node) {
                        list.push((a, target));
                    }
                }
            }
        }
        found
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

    /// `a` dominates `b` when taking `a` away leaves `b` unreachable.
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

    fn naive_post_dominates(flow: &Flow, a: usize, b: usize) -> bool {
        if a == b {
            return true;
        }
        let seen = flow.reachable(&[b], |_, to| to != a);
        flow.exits().into_iter().all(|exit| !seen[exit])
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
            for a in 0..flow.successors.len() {
                for b in 0..flow.successors.len() {
                    prop_assert!(tree.is_reached(a), "{} reaches no exit", a);
                    prop_assert_eq!(tree.dominates(a, b), naive_post_dominates(&flow, a, b), "{} over {}", a, b);
                }
            }
        }

        #[test]
        fn control_dependence_agrees_with_the_definition(flow in graphs()) {
            let found = flow.control_dependence(&flow.post_dominators());
            for x in 0..flow.successors.len() {
                for (a, s) in flow.edges() {
                    let real = flow.successors[a].iter().any(|other| *other != s);
                    let strictly = x != a && naive_post_dominates(&flow, x, a);
                    let expected = real && naive_post_dominates(&flow, x, s) && !strictly;
                    prop_assert_eq!(found[x].contains(&(a, s)), expected, "{} on {}->{}", x, a, s);
                }
            }
        }
    }

    #[test]
    fn an_infinite_loop_has_a_virtual_exit_at_its_end() {
        // 0 -> 1 -> (2 | 3), 2 -> 3, 3 -> 1
        let flow = Flow { successors: vec![vec![1], vec![2, 3], vec![3], vec![1]], entries: vec![0] };
        assert_eq!(flow.exits(), [3]);
        let found = flow.control_dependence(&flow.post_dominators());
        assert_eq!(found[2], [(1, 2)]);
        assert!(found[3].is_empty() && found[1].is_empty());
    }
}
