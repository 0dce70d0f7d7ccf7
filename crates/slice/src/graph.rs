//! The dependence graph. Nodes are values and control decisions; each depends on up to two nodes, and may
//! belong to the call that made it.

use std::collections::BTreeSet;

/// A value or a decision. Node 0 depends on no call below the root.
pub type Node = u32;

/// Maximum number of nodes, at 12 bytes each.
const MOST: usize = 16_000_000;
/// Marks a node without a call.
const NOBODY: u32 = u32::MAX;

/// The nodes, each after those on which it depends.
pub struct Graph {
    nodes: Vec<(Node, Node, u32)>,
    is_full: bool,
}

impl Graph {
    /// Creates an empty graph.
    pub fn new() -> Graph {
        Graph { nodes: vec![(0, 0, NOBODY)], is_full: false }
    }

    /// Whether nodes were dropped because the graph is full; results are then incomplete.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// A node that depends on two nodes.
    pub fn join(&mut self, one: Node, other: Node) -> Node {
        match (one, other) {
            (0, only) | (only, 0) => only,
            (one, other) if one == other => one,
            (one, other) => self.push(one, other, NOBODY),
        }
    }

    /// A node that depends on `from` and belongs to a call.
    pub fn by(&mut self, call: u32, from: Node) -> Node {
        self.push(from, 0, call)
    }

    /// A new node that depends only on `from` but has its own identity.
    pub fn fresh(&mut self, from: Node) -> Node {
        self.push(from, 0, NOBODY)
    }

    /// A node that depends on two nodes and belongs to a call.
    fn push(&mut self, one: Node, other: Node, call: u32) -> Node {
        let Some(number) = Node::try_from(self.nodes.len()).ok().filter(|_| self.nodes.len() < MOST) else {
            self.is_full = true;
            return 0;
        };
        self.nodes.push((one, other, call));
        number
    }

    /// The nodes on which a node depends, and itself.
    pub fn slice(&self, of: Node) -> NodeSlice {
        let mut calls = BTreeSet::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut open = vec![of];
        while let Some(node) = open.pop() {
            let Ok(at) = usize::try_from(node) else { continue };
            let (Some((one, other, call)), Some(seen)) = (self.nodes.get(at), seen.get_mut(at)) else {
                continue;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            if *call != NOBODY {
                calls.insert(*call);
            }
            open.extend([*one, *other].into_iter().filter(|node| *node != 0));
        }
        NodeSlice { seen, calls }
    }
}

/// The nodes on which a node depends.
pub struct NodeSlice {
    seen: Vec<bool>,
    /// The calls to which they belong.
    pub calls: BTreeSet<u32>,
}

impl NodeSlice {
    /// Whether a node is one of them.
    pub fn holds(&self, node: Node) -> bool {
        usize::try_from(node).is_ok_and(|at| self.seen.get(at).copied().unwrap_or(false))
    }
}
