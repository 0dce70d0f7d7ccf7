//! Dominant conditional jumps: executed jumps from which an operation can only be reached through code that
//! the call did not execute (Omission Finder §3.3.2). An exception that left a block is such a jump too.

use super::bodies::Body;
use super::executed::Trail;
use bytecode::{Dominance, Op};
use petgraph::graph::NodeIndex;
use std::collections::{BTreeSet, HashSet};

/// The blocks that a call executed.
pub(super) struct ExecutedBlocks {
    begun: HashSet<NodeIndex>,
    /// By block that an exception left: the code index of the last event before that.
    left: Vec<(NodeIndex, u32)>,
}

impl ExecutedBlocks {
    /// Follows the executed edges from the method's entry.
    pub fn of(body: &Body, trail: &Trail) -> ExecutedBlocks {
        let mut begun = HashSet::new();
        let left: Vec<(NodeIndex, u32)> =
            trail.exceptions.iter().filter_map(|at| Some((body.cfg.block_at(*at)?, *at))).collect();
        let mut work: Vec<NodeIndex> = body.cfg.block_at(0).into_iter().collect();
        let handlers = trail.edges.iter().filter(|(from, to)| from == to);
        work.extend(handlers.filter_map(|(at, _)| body.cfg.block_at(*at)));
        while let Some(block) = work.pop() {
            if !begun.insert(block) {
                continue;
            }
            let Some(last) = body.cfg.last_pc(block) else { continue };
            let is_branch = body.code.at(last).is_some_and(|instruction| instruction.op.is_branch());
            if !is_branch && left.iter().any(|(of, _)| *of == block) {
                // It may have ended normally at other times. Then its successors have events of their own.
                continue;
            }
            for (next, _) in body.cfg.successors(block, false) {
                let Some(start) = body.cfg.block(next).map(|block| block.start_pc) else { continue };
                if !is_branch || trail.edges.binary_search(&(last, start)).is_ok() {
                    work.push(next);
                }
            }
        }
        ExecutedBlocks { begun, left }
    }

    /// Whether the instruction at a code index was executed. Behind an exception in its block, it was not.
    pub fn has(&self, body: &Body, pc: u32) -> bool {
        let Some(block) = body.cfg.block_at(pc).filter(|block| self.begun.contains(block)) else {
            return false;
        };
        let mut left = self.left.iter().filter(|(of, _)| *of == block);
        !left.any(|(_, at)| pc >= behind(body, *at))
    }

    /// Whether the instruction at a code index was executed to its end. In a line that an exception left, a
    /// store behind the last event was not: it would have an event of its own. A call was not either if
    /// nothing behind it in the line can throw.
    pub fn has_completed(&self, body: &Body, pc: u32) -> bool {
        self.has(body, pc) && !(self.is_behind_event(body, pc) && (is_store(body, pc) || ends_line(body, pc)))
    }

    /// Whether an exception left the line of an instruction, and the last event before that came before the
    /// instruction.
    pub fn is_behind_event(&self, body: &Body, pc: u32) -> bool {
        let block = body.cfg.block_at(pc);
        let mut left = self.left.iter().filter(|(of, _)| Some(*of) == block);
        left.any(|(_, at)| (*at + 1..behind(body, *at)).contains(&pc))
    }
}

fn is_store(body: &Body, pc: u32) -> bool {
    let op = body.code.at(pc).map(|instruction| &instruction.op);
    matches!(op, Some(Op::PutField(_) | Op::PutStatic(_) | Op::ArrayStore(_)))
}

/// Whether an instruction is a call, and nothing behind it in its line can throw. A `return` can, but only
/// with a wrong monitor.
fn ends_line(body: &Body, pc: u32) -> bool {
    let is_call = matches!(body.code.at(pc).map(|instruction| &instruction.op), Some(Op::Invoke { .. }));
    let end = behind(body, pc);
    let rest = body.code.instructions.iter().filter(|instruction| (pc + 1..end).contains(&instruction.pc));
    let mut rest = rest.map(|instruction| &instruction.op).filter(|op| !matches!(op, Op::Return(_)));
    is_call && !rest.any(Op::can_throw)
}

/// The code index of the first instruction behind the line of an event.
fn behind(body: &Body, at: u32) -> u32 {
    let next = body.code.lines.iter().map(|line| line.start_pc).filter(|start| *start > at).min();
    next.unwrap_or(u32::MAX)
}

/// A jump that was executed, and the way that it did not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct UntakenEdge {
    /// The code index of the branch; for an exception, that of the last event before it.
    pub branch: u32,
    /// The code index where the way begins.
    pub to: u32,
    /// Whether an exception left the way.
    pub is_exception: bool,
}

/// The jumps that lost an instruction in a call that did not execute it, and the unexecuted blocks between
/// them and it.
pub(super) fn dominant_jumps(
    body: &Body,
    executed: &ExecutedBlocks,
    lost: u32,
) -> (BTreeSet<UntakenEdge>, BTreeSet<NodeIndex>) {
    let (mut jumps, mut between) = (BTreeSet::new(), BTreeSet::new());
    let Some(target) = body.cfg.block_at(lost) else {
        return (jumps, between);
    };
    if executed.begun.contains(&target) {
        // An exception came before it in its own block.
        for (_, at) in executed.left.iter().filter(|(of, at)| *of == target && *at < lost) {
            // Behind an event of the same line, the way begins at the event.
            let behind = behind(body, *at);
            let to = if lost < behind { *at } else { behind };
            jumps.insert(UntakenEdge { branch: *at, to, is_exception: true });
        }
        return (jumps, BTreeSet::from([target]));
    }
    let mut work = vec![target];
    while let Some(block) = work.pop() {
        if !between.insert(block) {
            continue;
        }
        for (before, _) in body.cfg.predecessors(block, false) {
            if !executed.begun.contains(&before) {
                work.push(before);
                continue;
            }
            let ends = body.cfg.last_pc(before).and_then(|last| body.code.at(last));
            let start = body.cfg.block(block).map(|block| block.start_pc);
            match (ends.filter(|branch| branch.op.is_branch()), start) {
                (Some(branch), Some(to)) => {
                    jumps.insert(UntakenEdge { branch: branch.pc, to, is_exception: false });
                }
                (None, Some(to)) => {
                    // The rest of the block was not executed either.
                    for (_, at) in executed.left.iter().filter(|(of, _)| *of == before) {
                        let rest = behind(body, *at);
                        let is_inside = body.cfg.block(before).is_some_and(|block| rest < block.end_pc);
                        let to = if is_inside { rest } else { to };
                        jumps.insert(UntakenEdge { branch: *at, to, is_exception: true });
                        between.insert(before);
                    }
                }
                _ => {}
            }
        }
    }
    (jumps, between)
}

/// Whether a branch is the condition of a loop around an instruction, and ended it: it went on at `went`, and
/// not at `to`. The condition stands at the head of the loop, or at its end if it is a `do` loop.
pub(super) fn ends_loop(body: &Body, branch: u32, went: u32, to: u32, pc: u32) -> bool {
    let block_at = |pc| body.cfg.block_at(pc);
    let (Some(test), Some(on), Some(left), Some(at)) =
        (block_at(branch), block_at(to), block_at(went), block_at(pc))
    else {
        return false;
    };
    let dominance = bytecode::dominators(&body.code, false);
    [test, on].into_iter().any(|head| {
        let turn = natural_loop(body, &dominance, head);
        turn.contains(&test) && turn.contains(&at) && !turn.contains(&left)
    })
}

/// The blocks of the loop with this head: those from which a jump back to it is reached without passing it.
fn natural_loop(body: &Body, dominance: &Dominance, head: NodeIndex) -> BTreeSet<NodeIndex> {
    let begins = |block| body.cfg.block(block).map(|block| block.start_pc);
    let is_inside = |block: &NodeIndex| match (begins(head), begins(*block)) {
        (Some(head), Some(block)) => dominance.dominates(head, block),
        _ => false,
    };
    let before = |block| body.cfg.predecessors(block, false).into_iter().map(|(before, _)| before);
    let mut work: Vec<NodeIndex> = before(head).filter(is_inside).collect();
    let mut found = BTreeSet::new();
    if !work.is_empty() {
        found.insert(head);
    }
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(before(block));
        }
    }
    found
}
