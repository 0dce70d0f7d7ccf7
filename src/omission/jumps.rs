//! Dominant conditional jumps: executed jumps from which an operation can only be reached through code that
//! the call did not execute (Omission Finder §3.3.2).

use super::bodies::Body;
use super::executed::Edge;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeSet, HashSet};

/// The blocks that a call executed.
pub(super) struct ExecutedBlocks(HashSet<NodeIndex>);

impl ExecutedBlocks {
    /// Follows the executed edges from the method's entry. A block that an exception left counts as executed.
    pub fn of(body: &Body, edges: &[Edge]) -> ExecutedBlocks {
        let mut executed = HashSet::new();
        let mut work: Vec<NodeIndex> = body.cfg.block_at(0).into_iter().collect();
        work.extend(
            edges.iter().filter(|(from, to)| from == to).filter_map(|(at, _)| body.cfg.block_at(*at)),
        );
        while let Some(block) = work.pop() {
            if !executed.insert(block) {
                continue;
            }
            let Some(last) = body.cfg.last_pc(block) else { continue };
            let is_branch = body.code.at(last).is_some_and(|instruction| instruction.op.is_branch());
            for (next, _) in body.cfg.successors(block, false) {
                let Some(start) = body.cfg.block(next).map(|block| block.start_pc) else { continue };
                if !is_branch || edges.binary_search(&(last, start)).is_ok() {
                    work.push(next);
                }
            }
        }
        ExecutedBlocks(executed)
    }

    /// Whether the instruction at a code index was executed.
    pub fn has(&self, body: &Body, pc: u32) -> bool {
        body.cfg.block_at(pc).is_some_and(|block| self.0.contains(&block))
    }
}

/// A jump that was executed, and the way that it did not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct UntakenEdge {
    /// The code index of the branch.
    pub branch: u32,
    /// The code index where the way begins.
    pub to: u32,
}

/// The jumps that lost an instruction in a call, and the unexecuted blocks between them and it. Nothing if
/// the instruction was executed.
pub(super) fn dominant_jumps(
    body: &Body,
    executed: &ExecutedBlocks,
    lost: u32,
) -> (BTreeSet<UntakenEdge>, BTreeSet<NodeIndex>) {
    let (mut jumps, mut between) = (BTreeSet::new(), BTreeSet::new());
    let Some(target) = body.cfg.block_at(lost).filter(|block| !executed.0.contains(block)) else {
        return (jumps, between);
    };
    let mut work = vec![target];
    while let Some(block) = work.pop() {
        if !between.insert(block) {
            continue;
        }
        for (before, _) in body.cfg.predecessors(block, false) {
            if !executed.0.contains(&before) {
                work.push(before);
                continue;
            }
            let ends = body.cfg.last_pc(before).and_then(|last| body.code.at(last));
            let start = body.cfg.block(block).map(|block| block.start_pc);
            if let (Some(branch), Some(to)) = (ends.filter(|branch| branch.op.is_branch()), start) {
                jumps.insert(UntakenEdge { branch: branch.pc, to });
            }
        }
    }
    (jumps, between)
}
