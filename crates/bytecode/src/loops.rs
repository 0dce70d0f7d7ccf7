//! The natural loops of a method's control flow graph, found by back edges to a dominating block. The graph
//! includes exception edges, because a retry loop passes through a handler.
//!
//! Back edges to the same instruction form one loop: `do { do { … } while (a); } while (b);` cannot be
//! distinguished from a loop with a `continue`. A cycle that can be entered elsewhere than at its header is
//! not recognised; javac generates no such code.

use crate::cfg::{Cfg, EdgeKind, flow_of};
use crate::class::Code;
use crate::op::Op;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Code index of the header, the first instruction of each iteration.
    pub header: u32,
    /// First code index of the loop.
    pub start: u32,
    /// Code index after the loop. The range includes code that leaves the loop, such as that before a
    /// `break`.
    pub end: u32,
    /// Its first and last line with code, if the class file has line numbers.
    pub lines: Option<(u32, u32)>,
}

impl Loop {
    /// Whether an instruction belongs to the loop.
    pub fn holds(&self, pc: u32) -> bool {
        (self.start..self.end).contains(&pc)
    }
}

/// The loops of a method, outer loops before inner ones.
pub fn loops(code: &Code) -> Vec<Loop> {
    let cfg = Cfg::new(code);
    let bodies = bodies(&cfg);
    let made = |(header, body): (NodeIndex, BTreeSet<NodeIndex>)| {
        let blocks: Vec<(u32, u32)> = body
            .into_iter()
            .filter_map(|block| cfg.block(block).map(|block| (block.start_pc, block.end_pc)))
            .collect();
        let start = blocks.iter().map(|(start, _)| *start).min()?;
        let end = blocks.iter().map(|(_, end)| *end).max()?;
        let lines = lines(code, &blocks, start..end);
        Some(Loop { header: cfg.block(header)?.start_pc, start, end, lines })
    };
    let mut found: Vec<Loop> = bodies.into_iter().filter_map(made).collect();
    found.sort_by_key(|of| (of.start, std::cmp::Reverse(of.end)));
    found
}

/// The blocks of each loop, by its header.
fn bodies(cfg: &Cfg) -> BTreeMap<NodeIndex, BTreeSet<NodeIndex>> {
    let tree = flow_of(cfg, true).dominators();
    let mut bodies: BTreeMap<NodeIndex, BTreeSet<NodeIndex>> = BTreeMap::new();
    for node in cfg.graph().node_indices() {
        // A handler that protects itself is not a loop.
        for (header, _) in cfg.successors(node, false) {
            if tree.dominates(header.index(), node.index()) {
                let body = bodies.entry(header).or_insert_with(|| BTreeSet::from([header]));
                let mut left = vec![node];
                while let Some(block) = left.pop() {
                    if body.insert(block) {
                        left.extend(cfg.predecessors(block, true).into_iter().map(|(before, _)| before));
                    }
                }
            }
        }
    }
    bodies
}

/// A loop, as blocks of the graph.
#[derive(Debug, Clone)]
pub(crate) struct NaturalLoop {
    pub(crate) header: usize,
    pub(crate) body: BTreeSet<usize>,
    /// Whether each iteration begins with the loop's own condition, as in `for` and `while`. Such a loop is
    /// assumed to terminate.
    pub(crate) ends: bool,
}

/// The loops of a method, as blocks.
pub(crate) fn natural_loops(code: &Code, cfg: &Cfg) -> Vec<NaturalLoop> {
    let made = |(header, body): (NodeIndex, BTreeSet<NodeIndex>)| NaturalLoop {
        ends: begins_with_condition(code, cfg, header, &body),
        header: header.index(),
        body: body.into_iter().map(NodeIndex::index).collect(),
    };
    bodies(cfg).into_iter().map(made).collect()
}

/// Whether the first blocks of the loop compute, on one line, a condition that leads to code behind the loop.
/// The code before a `break` lies between the blocks of the loop, and the condition of a `do` leads back to
/// the first block.
fn begins_with_condition(code: &Code, cfg: &Cfg, header: NodeIndex, body: &BTreeSet<NodeIndex>) -> bool {
    let own = |n: NodeIndex| body.contains(&n);
    let blocks = || body.iter().filter_map(|n| cfg.block(*n));
    let (Some(start), Some(end)) = (blocks().map(|b| b.start_pc).min(), blocks().map(|b| b.end_pc).max())
    else {
        return false;
    };
    let line = |pc: u32| crate::lines::line_of(code, pc);
    let first = cfg.block(header).map(|b| b.start_pc);
    let (mut chain, mut targets) = (BTreeSet::new(), BTreeSet::new());
    let mut at = header;
    while chain.insert(at) {
        let Some(block) = cfg.block(at) else { return false };
        let within =
            |entry: &&crate::class::LineEntry| (block.start_pc..block.end_pc).contains(&entry.start_pc);
        let lines = code.lines.iter().filter(within).map(|entry| Some(entry.line));
        if lines.chain([line(block.start_pc)]).any(|other| other != first.and_then(line)) {
            return false;
        }
        let [(one, kind), (other, _)] = cfg.successors(at, false)[..] else { return false };
        let is_behind =
            |n: NodeIndex| !own(n) && cfg.block(n).is_some_and(|b| !(start..end).contains(&b.start_pc));
        let goes_on = |n: NodeIndex| own(n) && n != header;
        let leaves = (is_behind(one) && goes_on(other)) || (is_behind(other) && goes_on(one));
        let (next, away) = if *kind == EdgeKind::FallThrough { (one, other) } else { (other, one) };
        targets.insert(landing(code, cfg, away));
        // `if (a || b) break;` also leaves the loop from `a`, but passes through a `break` from `b`.
        let goes_with = |n: NodeIndex| targets.contains(&landing(code, cfg, n));
        let continues = own(next)
            && cfg.predecessors(next, true).iter().all(|(from, _)| chain.contains(from))
            && cfg.block(next).is_some_and(|b| line(b.start_pc) == first.and_then(line))
            && cfg.successors(next, false).len() == 2
            && cfg.successors(next, false).iter().any(|(to, _)| goes_with(*to));
        if !continues {
            return leaves;
        }
        at = next;
    }
    false
}

/// The target of a block that only jumps; otherwise the block itself.
fn landing(code: &Code, cfg: &Cfg, block: NodeIndex) -> NodeIndex {
    let only = cfg.block(block).filter(|b| b.first == b.last).and_then(|b| code.instructions.get(b.first));
    match only.map(|instruction| &instruction.op) {
        Some(Op::Goto { target }) => cfg.block_at(*target).unwrap_or(block),
        _ => block,
    }
}

/// The lines of a loop: those of its blocks, and those in between that occur nowhere else. A `finally`
/// executed by a `break` has a copy inside the loop, while its source is behind the loop.
fn lines(code: &Code, blocks: &[(u32, u32)], whole: Range<u32>) -> Option<(u32, u32)> {
    let behind = |pc: u32| code.lines.partition_point(|entry| entry.start_pc <= pc);
    let mut own = BTreeSet::new();
    for (from, to) in blocks {
        let entries = code.lines.get(behind(*from).saturating_sub(1)..behind(to.saturating_sub(1)));
        own.extend(entries.unwrap_or_default().iter().map(|entry| entry.line));
    }
    let is_inside = |pc: u32| whole.contains(&pc);
    let of = |wanted: bool| code.lines.iter().filter(move |entry| is_inside(entry.start_pc) == wanted);
    let elsewhere: BTreeSet<u32> = of(false).map(|entry| entry.line).collect();
    own.extend(of(true).map(|entry| entry.line).filter(|line| !elsewhere.contains(line)));
    Some((*own.first()?, *own.last()?))
}
