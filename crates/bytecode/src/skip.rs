//! The lines that an exception bypassed (DESIGN §5.10): those that normal flow would have executed between
//! the throw and the point where it meets the flow from the handler.

use crate::cfg::{Cfg, flow_of};
use crate::class::Code;
use crate::lines::{entries_of_line, line_of};
use crate::op::Op;
use petgraph::graph::NodeIndex;
use std::collections::BTreeSet;

/// The code bypassed by an exception that was thrown at one code index of a frame and caught in the same
/// frame.
#[derive(Debug, Clone)]
pub struct Bypass {
    cfg: Cfg,
    throw_pc: u32,
    throw_block: usize,
    from_throw: Vec<bool>,
    from_handler: Vec<bool>,
    /// The throwing block can be reached again from below (a loop that does not pass the meeting point).
    again: bool,
}

impl Bypass {
    /// `throw_pc` is the throwing or calling instruction in this frame, `handler_pc` the start of the
    /// handler. `None` if either is not an instruction.
    pub fn new(code: &Code, throw_pc: u32, handler_pc: u32) -> Option<Bypass> {
        let cfg = Cfg::new(code);
        let throw_block = cfg.block_at(throw_pc)?.index();
        let handler_block = cfg.block_at(handler_pc)?.index();
        let flow = flow_of(&cfg, false);
        let post = flow.post_dominators();
        let stands_after = stands_after(code, &cfg, throw_pc);
        let meet = stands_after
            .or_else(|| post.immediate(throw_block))
            .and_then(|after| post.chain(after).find(|candidate| post.dominates(*candidate, handler_block)));
        let successors = cfg.successors(NodeIndex::new(throw_block), false);
        let follows = successors.into_iter().map(|(to, _)| to.index());
        let next: Vec<usize> = follows.chain(stands_after).filter(|to| Some(*to) != meet).collect();
        let from_throw = flow.reachable(&next, |_, to| Some(to) != meet);
        let start = if Some(handler_block) == meet { Vec::new() } else { vec![handler_block] };
        let from_handler = flow.reachable(&start, |_, to| Some(to) != meet);
        let again = from_throw.get(throw_block).copied().unwrap_or(false);
        Some(Bypass { cfg, throw_pc, throw_block, from_throw, from_handler, again })
    }

    /// Whether the instruction was bypassed.
    pub fn skips(&self, pc: u32) -> bool {
        let Some(block) = self.cfg.block_at(pc).map(NodeIndex::index) else { return false };
        let in_rest = block == self.throw_block && (pc > self.throw_pc || (self.again && pc < self.throw_pc));
        let ahead =
            in_rest || (block != self.throw_block && self.from_throw.get(block).copied().unwrap_or(false));
        ahead && !self.from_handler.get(block).copied().unwrap_or(false)
    }
}

/// The block that stands after a `throw` statement. No control flow follows it: it bypasses that code.
fn stands_after(code: &Code, cfg: &Cfg, pc: u32) -> Option<usize> {
    match code.at(pc).map(|i| &i.op) {
        Some(Op::Throw) => code.successor(pc).and_then(|pc| cfg.block_at(pc)).map(NodeIndex::index),
        _ => None,
    }
}

/// The instructions from which normal flow leads to one of `places`, ascending. After a `throw` statement it
/// is assumed to continue with the instruction that stands after it.
pub fn leading_to(code: &Code, places: &[u32]) -> Vec<u32> {
    let cfg = Cfg::new(code);
    let block_at = |pc: u32| cfg.block_at(pc).map(NodeIndex::index);
    let ends: BTreeSet<usize> = places.iter().filter_map(|place| block_at(*place)).collect();
    let mut leading = BTreeSet::new();
    let mut work: Vec<usize> = ends.iter().copied().collect();
    while let Some(block) = work.pop() {
        let before = cfg.predecessors(NodeIndex::new(block), false);
        work.extend(before.into_iter().map(|(from, _)| from.index()).filter(|from| leading.insert(*from)));
    }
    let leads = |pc: u32| {
        let block = block_at(pc);
        let is_before = |place: &u32| *place > pc && block_at(*place) == block;
        let after = stands_after(code, &cfg, pc);
        block.is_some_and(|block| leading.contains(&block))
            || places.iter().any(is_before)
            || after.is_some_and(|after| ends.contains(&after) || leading.contains(&after))
    };
    code.instructions.iter().map(|i| i.pc).filter(|pc| leads(*pc)).collect()
}

/// Whether an exception thrown at `throw_pc` and caught at `handler_pc`, both in the frame of `code`,
/// bypassed the line. It did if normal flow from the throw reaches an entry of the line before it meets the
/// flow from the handler, and the handler does not reach that entry before that point. The throwing line
/// itself counts only if it has a later entry. After a `throw` statement, normal flow is assumed to continue
/// with the instruction that stands after it.
pub fn is_bypassed(code: &Code, throw_pc: u32, handler_pc: u32, line: u32) -> bool {
    Bypass::new(code, throw_pc, handler_pc)
        .is_some_and(|bypass| entries_of_line(code, line).pcs.iter().any(|pc| bypass.skips(*pc)))
}

/// All bypassed lines, ascending.
pub fn skipped_lines(code: &Code, throw_pc: u32, handler_pc: u32) -> Vec<u32> {
    let Some(bypass) = Bypass::new(code, throw_pc, handler_pc) else { return Vec::new() };
    let candidates: BTreeSet<u32> =
        code.instructions.iter().filter(|i| bypass.skips(i.pc)).filter_map(|i| line_of(code, i.pc)).collect();
    candidates
        .into_iter()
        .filter(|line| entries_of_line(code, *line).pcs.iter().any(|pc| bypass.skips(*pc)))
        .collect()
}
