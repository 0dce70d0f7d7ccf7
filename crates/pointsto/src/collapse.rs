//! Cycles of the graph: nodes that flow into each other hold the same, and are merged into one (Tarjan 1972).
//! The other nodes get ranks, so that a set is passed on after the sets that flow into it, as in the wave
//! propagation of Pereira and Berlin (CGO 2009).
//!
//! A cycle is merged only if all its nodes have the same filter. Otherwise they hold different sets.

use super::nodes::{Graph, Node, NodeId, index};
use super::set::Set;

/// What Tarjan's algorithm knows of a node.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// When it was found, from 1; 0 if it was not.
    number: u32,
    /// The earliest node on the stack that it reaches.
    low: u32,
    is_on_stack: bool,
}

impl Graph<'_> {
    /// Merges cycles and ranks the nodes, if enough was passed on since the last time to pay for it.
    pub(super) fn collapse_if_due(&mut self) {
        if self.passed > self.nodes.len().saturating_mul(2) {
            self.merge_cycles();
            self.rank();
            self.requeue();
            self.passed = 0;
        }
    }

    fn edge_at(&self, node: NodeId, at: usize) -> Option<NodeId> {
        self.nodes.get(index(node))?.to.get(at).map(|to| self.find(*to))
    }

    fn merge_cycles(&mut self) {
        let mut cycles = self.cycles();
        if cycles.is_empty() {
            return;
        }
        let size = |id: &NodeId| self.nodes.get(index(*id)).map_or(0, |n| n.to.len() + n.uses.len());
        for cycle in &mut cycles {
            if let Some(largest) = (0..cycle.len()).max_by_key(|at| cycle.get(*at).map(size)) {
                cycle.swap(0, largest);
            }
        }
        for cycle in &cycles {
            for id in cycle {
                if let (Some(kept), Some(merged)) = (cycle.first(), self.merged.get_mut(index(*id))) {
                    *merged = *kept;
                }
            }
        }
        // What had been merged into a node that is merged now.
        for at in 0..self.merged.len() {
            let once = self.merged.get(at).map(|id| self.find(*id));
            if let (Some(once), Some(merged)) = (once, self.merged.get_mut(at)) {
                *merged = once;
            }
        }
        self.epoch += 1;
        for cycle in cycles {
            self.merge(&cycle);
        }
    }

    /// The cycles of nodes with the same filter.
    fn cycles(&self) -> Vec<Vec<NodeId>> {
        let mut seen = vec![Seen::default(); self.nodes.len()];
        let (mut stack, mut path, mut found) = (Vec::new(), Vec::new(), Vec::new());
        let mut count = 0;
        let filter = |node: NodeId| self.nodes.get(index(node)).map(|node| node.filter);
        for root in (0u32..).zip(&self.merged).filter(|(id, merged)| id == *merged).map(|(id, _)| id) {
            let mut entered = Some(root).filter(|root| seen.get(index(*root)).is_some_and(|s| s.number == 0));
            loop {
                if let Some(node) = entered.take() {
                    count += 1;
                    if let Some(seen) = seen.get_mut(index(node)) {
                        *seen = Seen { number: count, low: count, is_on_stack: true };
                    }
                    stack.push(node);
                    path.push((node, 0));
                }
                let Some((node, at)) = path.last_mut() else { break };
                let node = *node;
                if let Some(to) = self.edge_at(node, *at) {
                    *at += 1;
                    let other = seen.get(index(to)).copied().unwrap_or_default();
                    if filter(to) != filter(node) {
                        continue;
                    }
                    if other.number == 0 {
                        entered = Some(to);
                    } else if other.is_on_stack
                        && let Some(seen) = seen.get_mut(index(node))
                    {
                        seen.low = seen.low.min(other.number);
                    }
                    continue;
                }
                path.pop();
                let own = seen.get(index(node)).copied().unwrap_or_default();
                if let Some((above, _)) = path.last()
                    && let Some(seen) = seen.get_mut(index(*above))
                {
                    seen.low = seen.low.min(own.low);
                }
                if own.low != own.number {
                    continue;
                }
                let begin = stack.iter().rposition(|other| *other == node).unwrap_or(stack.len());
                let cycle = stack.split_off(begin);
                for node in &cycle {
                    if let Some(seen) = seen.get_mut(index(*node)) {
                        seen.is_on_stack = false;
                    }
                }
                if cycle.len() > 1 {
                    found.push(cycle);
                }
            }
        }
        found
    }

    /// Merges what the nodes of a cycle have into the first of them.
    fn merge(&mut self, cycle: &[NodeId]) {
        let Some(kept) = cycle.first().copied() else { return };
        let mut all = Set::new();
        let mut parts: Vec<Node> = Vec::new();
        for id in cycle {
            if let Some(part) = self.nodes.get_mut(index(*id)).map(std::mem::take) {
                all.union(&part.held);
                parts.push(part);
            }
        }
        if let (Some(node), Some(first)) = (self.nodes.get_mut(index(kept)), parts.first_mut()) {
            node.filter = first.filter;
            node.rank = first.rank;
            node.epoch = self.epoch;
            node.uses.clone_from(&first.uses);
        }
        let mut to: Vec<NodeId> = Vec::new();
        for (at, part) in parts.into_iter().enumerate() {
            let passed = part.held.without(&part.pending);
            let missing = all.without(&passed);
            for target in part.to {
                let target = self.find(target);
                if target != kept {
                    self.add(target, &missing);
                    to.push(target);
                }
            }
            let missing = all.without(&passed.without(&part.waiting));
            for what in part.uses {
                if (at == 0 || self.attach(kept, what)) && !missing.is_empty() {
                    self.late.push((what, missing.clone()));
                }
            }
        }
        to.sort_unstable();
        to.dedup();
        for target in &to {
            self.edges.insert((kept, *target));
        }
        if let Some(node) = self.nodes.get_mut(index(kept)) {
            node.held = all;
            node.to = to;
        }
    }

    /// Numbers the nodes so that most edges lead to a higher number.
    fn rank(&mut self) {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut left = Vec::new();
        let mut path = Vec::new();
        for root in (0u32..).zip(&self.merged).filter(|(id, merged)| id == *merged).map(|(id, _)| id) {
            let mut entered = Some(root);
            loop {
                if let Some(node) = entered.take()
                    && let Some(is_seen) = is_seen.get_mut(index(node)).filter(|is_seen| !**is_seen)
                {
                    *is_seen = true;
                    path.push((node, 0));
                }
                let Some((node, at)) = path.last_mut() else { break };
                match self.edge_at(*node, *at) {
                    Some(to) => {
                        *at += 1;
                        entered = Some(to);
                    }
                    None => {
                        left.push(*node);
                        path.pop();
                    }
                }
            }
        }
        for (rank, id) in (0u32..).zip(left.into_iter().rev()) {
            if let Some(node) = self.nodes.get_mut(index(id)) {
                node.rank = rank;
            }
        }
    }
}
