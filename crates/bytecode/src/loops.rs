//! The loops of a method: the natural loops of its control flow graph, found by the jumps back to what every way to them has passed. Exception
//! edges belong to the graph, because a loop that tries again turns in a handler.
//!
//! Jumps back to one instruction are one loop: `do { do { … } while (a); } while (b);` is not told from a loop with a `continue`. What jumps
//! into a loop beside its first instruction makes none; javac writes no such code.

use crate::cfg::Cfg;
use crate::class::Code;
use crate::control::flow_of;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet};

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// Code index of the instruction with which each of its turns begins.
    pub header: u32,
    /// The first code index of it.
    pub start: u32,
    /// One past the last code index of it. What lies between and leaves the loop, as before a `break`, belongs to it.
    pub end: u32,
    /// Its first line and its last one that has code, if the class file has lines.
    pub lines: Option<(u32, u32)>,
}

impl Loop {
    /// Whether an instruction belongs to it.
    pub fn holds(&self, pc: u32) -> bool {
        (self.start..self.end).contains(&pc)
    }
}

/// The loops of a method, outer ones before those inside.
pub fn loops(code: &Code) -> Vec<Loop> {
    let cfg = Cfg::new(code);
    let tree = flow_of(&cfg, true).dominators();
    let mut bodies: BTreeMap<NodeIndex, BTreeSet<NodeIndex>> = BTreeMap::new();
    for node in cfg.graph().node_indices() {
        // A handler that handles what is thrown in itself is no loop.
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
    let made = |(header, body): (NodeIndex, BTreeSet<NodeIndex>)| {
        let blocks: Vec<(u32, u32)> = body
            .into_iter()
            .filter_map(|block| cfg.block(block).map(|block| (block.start_pc, block.end_pc)))
            .collect();
        let start = blocks.iter().map(|(start, _)| *start).min()?;
        let end = blocks.iter().map(|(_, end)| *end).max()?;
        let lines = lines(code, &blocks, (start, end));
        Some(Loop { header: cfg.block(header)?.start_pc, start, end, lines })
    };
    let mut found: Vec<Loop> = bodies.into_iter().filter_map(made).collect();
    found.sort_by_key(|of| (of.start, std::cmp::Reverse(of.end)));
    found
}

/// The lines of a loop: those of its blocks, and those between that are nowhere else. A `finally` that a `break` goes through has a copy in
/// the loop, and stands behind it.
fn lines(code: &Code, blocks: &[(u32, u32)], (start, end): (u32, u32)) -> Option<(u32, u32)> {
    let behind = |pc: u32| code.lines.partition_point(|entry| entry.start_pc <= pc);
    let mut own = BTreeSet::new();
    for (from, to) in blocks {
        let entries = code.lines.get(behind(*from).saturating_sub(1)..behind(to.saturating_sub(1)));
        own.extend(entries.unwrap_or_default().iter().map(|entry| entry.line));
    }
    let is_inside = |pc: u32| (start..end).contains(&pc);
    let of = |wanted: bool| code.lines.iter().filter(move |entry| is_inside(entry.start_pc) == wanted);
    let elsewhere: BTreeSet<u32> = of(false).map(|entry| entry.line).collect();
    own.extend(of(true).map(|entry| entry.line).filter(|line| !elsewhere.contains(line)));
    Some((*own.first()?, *own.last()?))
}
