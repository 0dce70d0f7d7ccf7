//! What has influenced values: a value is a node, and so is the choice of a way; each knows two nodes that it
//! depends on, and whose call has made it.

use std::collections::BTreeSet;

/// A value or a choice; 0: no call that is looked at has influenced it.
pub type Node = u32;

/// So many nodes are kept: 12 bytes each.
const MOST: usize = 16_000_000;
/// What is of no call in itself.
const NOBODY: u32 = u32::MAX;

/// The nodes, each behind those that it depends on.
pub struct Graph {
    nodes: Vec<(Node, Node, u32)>,
    is_full: bool,
}

impl Graph {
    /// Without nodes.
    pub fn new() -> Graph {
        Graph { nodes: vec![(0, 0, NOBODY)], is_full: false }
    }

    /// Whether there was no room for a node: then nothing more is known.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// What depends on two nodes.
    pub fn join(&mut self, one: Node, other: Node) -> Node {
        match (one, other) {
            (0, only) | (only, 0) => only,
            (one, other) if one == other => one,
            (one, other) => self.push((one, other, NOBODY)),
        }
    }

    /// What a call has made of a node.
    pub fn by(&mut self, call: u32, from: Node) -> Node {
        self.push((from, 0, call))
    }

    /// A node that is like another one, and can be told from it.
    pub fn fresh(&mut self, from: Node) -> Node {
        self.push((from, 0, NOBODY))
    }

    fn push(&mut self, node: (Node, Node, u32)) -> Node {
        let Some(number) = Node::try_from(self.nodes.len()).ok().filter(|_| self.nodes.len() < MOST) else {
            self.is_full = true;
            return 0;
        };
        self.nodes.push(node);
        number
    }

    /// The calls that have influenced a node.
    pub fn calls(&self, of: Node) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
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
                found.insert(*call);
            }
            open.extend([*one, *other].into_iter().filter(|node| *node != 0));
        }
        found
    }
}
