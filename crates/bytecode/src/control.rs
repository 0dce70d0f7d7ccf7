//! Dominators, post-dominators and control dependence of a method's instructions (DESIGN §5.6).
//!
//! Control dependence uses the graph *without* exception edges: with them, every statement would depend on
//! the call before it. Each handler is an additional entry. If an exception led to a point that normal flow
//! would not certainly have reached, the exception caught there is the answer.
//!
//! Control dependence is sensitive to non-termination (Ranganath and others, 2007; the weak control
//! dependence of Podgurski and Clarke, 1990): code behind an endless loop depends on the branch that leaves
//! the loop. Loops that begin with their own condition (`for`, `while`) are assumed to terminate, so code
//! behind them does not depend on that condition.

use crate::cfg::{Cfg, EdgeKind, flow_of};
use crate::class::{Code, Handler};
use crate::flow::{Flow, Tree};
use crate::loops::{NaturalLoop, natural_loops};
use crate::throws::hidden_throws;
use petgraph::graph::NodeIndex;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The kind of dominance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Dominators,
    PostDominators,
}

/// Dominators or post-dominators of a method, queried by code index.
#[derive(Debug, Clone)]
pub struct Dominance {
    cfg: Cfg,
    tree: Tree,
    direction: Direction,
}

/// The dominators of a method, with or without exception edges. Without them, handlers are entries.
pub fn dominators(code: &Code, exceptions: bool) -> Dominance {
    let cfg = Cfg::new(code);
    let tree = flow_of(&cfg, exceptions).dominators();
    Dominance { cfg, tree, direction: Direction::Dominators }
}

/// The post-dominators of a method, with or without exception edges. An infinite loop gets a virtual exit on
/// its back edges.
pub fn post_dominators(code: &Code, exceptions: bool) -> Dominance {
    let cfg = Cfg::new(code);
    let tree = flow_of(&cfg, exceptions).post_dominators();
    Dominance { cfg, tree, direction: Direction::PostDominators }
}

impl Dominance {
    /// Whether every path through `b` passes `a`: before it for dominators, after it for post-dominators. An
    /// instruction dominates itself. False if either is unreachable or not an instruction.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (Some(x), Some(y)) = (self.cfg.block_at(a), self.cfg.block_at(b)) else { return false };
        if x == y {
            return self.tree.is_reached(x.index())
                && match self.direction {
                    Direction::Dominators => a <= b,
                    Direction::PostDominators => a >= b,
                };
        }
        self.tree.dominates(x.index(), y.index())
    }

    /// The start of the block that immediately dominates the block of `pc`; `None` at the root.
    pub fn immediate_block(&self, pc: u32) -> Option<u32> {
        let node = self.cfg.block_at(pc)?;
        // Nodes beyond the blocks are the virtual exits of infinite loops.
        let parent = self.tree.chain(node.index()).skip(1).find(|n| *n < self.cfg.len())?;
        self.cfg.block(NodeIndex::new(parent)).map(|b| b.start_pc)
    }
}

/// An edge of a conditional branch or switch. An occurrence of a condition is an edge, not the branch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchEdge {
    /// The branch instruction.
    pub branch_pc: u32,
    /// The target of the edge.
    pub target_pc: u32,
    /// The kind of the edge.
    pub kind: EdgeKind,
}

/// The direct control dependences of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependences {
    /// Edges that can have led here: of those executed, the last one before the point did.
    pub edges: Vec<BranchEdge>,
    /// Whether normal flow from the method's entry leads here without taking any of `edges`. The condition
    /// can then be in the caller.
    pub from_entry: bool,
    /// Handlers from which normal flow leads here without taking any of `edges`, although the throwing
    /// instruction did not certainly lead here. Of these, the exception caught last can be the cause.
    pub handlers: Vec<CaughtAt>,
}

/// An exception caught in the method that can be the reason why an instruction is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaughtAt {
    /// First code index of the handler.
    pub handler_pc: u32,
    /// Protected instructions after which normal flow does not always lead to the point, ascending. An
    /// exception thrown elsewhere makes no difference: the point would have been reached anyway.
    pub thrown_at: Vec<u32>,
}

/// The control dependence of one method.
#[derive(Debug, Clone)]
pub struct ControlDependence {
    cfg: Cfg,
    flow: Flow,
    /// The same graph without the throws that the compiler adds to exhaustive switches.
    exhaustive: Flow,
    hidden: BTreeSet<usize>,
    loops: Vec<NaturalLoop>,
    handlers: Vec<Handler>,
}

/// Which blocks certainly lead to one block.
struct Reaching<'a> {
    flow: &'a Flow,
    block: usize,
    /// For each block, whether execution can continue from there without ever passing `block`.
    avoids: Vec<bool>,
}

impl Reaching<'_> {
    /// Whether every path from the start of a block passes `self.block`.
    fn is_certain(&self, from: usize) -> bool {
        from == self.block || self.avoids.get(from) == Some(&false)
    }

    /// The deciding edges: their targets certainly lead to the block, while another successor need not.
    fn edges(&self) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (from, next) in self.flow.successors.iter().enumerate() {
            if next.iter().any(|to| !self.is_certain(*to)) {
                found.extend(next.iter().filter(|to| self.is_certain(**to)).map(|to| (from, *to)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl ControlDependence {
    /// Analyses the method's code.
    pub fn new(code: &Code) -> ControlDependence {
        let cfg = Cfg::new(code);
        let flow = flow_of(&cfg, false);
        let hidden: BTreeSet<usize> = hidden_throws(code, &cfg).into_iter().collect();
        let mut exhaustive = flow.clone();
        for next in &mut exhaustive.successors {
            if next.iter().any(|to| !hidden.contains(to)) {
                next.retain(|to| !hidden.contains(to));
            }
        }
        let loops = natural_loops(code, &cfg);
        ControlDependence { cfg, flow, exhaustive, hidden, loops, handlers: code.handlers.clone() }
    }

    /// The control flow graph of the method.
    pub fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    /// The dependences of the instruction at `pc`; empty if there is no instruction.
    pub fn of(&self, pc: u32) -> Dependences {
        let Some(block) = self.cfg.block_at(pc).map(NodeIndex::index) else { return Dependences::default() };
        let reaching = self.reaching(block);
        let pairs = reaching.edges();
        let cut: HashSet<(usize, usize)> = pairs.iter().copied().collect();
        let edges: BTreeSet<BranchEdge> =
            pairs.iter().flat_map(|(from, to)| self.branch_edges(*from, *to)).collect();
        let reaches = |start: usize| {
            let seen = reaching.flow.reachable(&[start], |a, b| !cut.contains(&(a, b)));
            seen.get(block).copied().unwrap_or(false)
        };
        let mut caught: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for handler in &self.handlers {
            if self.cfg.block_at(handler.handler_pc).is_some_and(|h| reaches(h.index())) {
                let protected = self.cfg.pcs_between(handler.start_pc, handler.end_pc);
                let unsure = protected.iter().copied().filter(|thrown| !self.follows(*thrown, pc, &reaching));
                caught.entry(handler.handler_pc).or_default().extend(unsure);
            }
        }
        let handlers = caught
            .into_iter()
            .filter(|(_, from)| !from.is_empty())
            .map(|(handler_pc, from)| CaughtAt { handler_pc, thrown_at: from.into_iter().collect() })
            .collect();
        Dependences { edges: edges.into_iter().collect(), from_entry: reaches(0), handlers }
    }

    /// Computes which blocks certainly lead to `block`.
    fn reaching(&self, block: usize) -> Reaching<'_> {
        let flow = if self.hidden.contains(&block) { &self.flow } else { &self.exhaustive };
        let ends = |from: usize, to: usize| {
            let turns = |of: &NaturalLoop| of.ends && of.header == to && of.body.contains(&from);
            !self.loops.iter().any(turns)
        };
        Reaching { flow, block, avoids: flow.avoiding(block, ends) }
    }

    /// The header of the innermost endless loop that the edge leaves, as a code index. `None` if it leaves no
    /// such loop.
    pub fn leaves(&self, edge: &BranchEdge) -> Option<u32> {
        let from = self.cfg.block_at(edge.branch_pc)?.index();
        let to = self.cfg.block_at(edge.target_pc)?.index();
        let left = self
            .loops
            .iter()
            .filter(|of| !of.ends && of.body.contains(&from) && !of.body.contains(&to))
            .min_by_key(|of| of.body.len())?;
        self.cfg.block(NodeIndex::new(left.header)).map(|block| block.start_pc)
    }

    /// Whether normal flow always leads to `pc` after the instruction at `before`.
    fn follows(&self, before: u32, pc: u32, reaching: &Reaching<'_>) -> bool {
        let Some(from) = self.cfg.block_at(before).map(NodeIndex::index) else { return false };
        if from == reaching.block && before < pc {
            return true;
        }
        let next = reaching.flow.successors.get(from).map(Vec::as_slice).unwrap_or_default();
        !next.is_empty() && next.iter().all(|to| reaching.is_certain(*to))
    }

    fn branch_edges(&self, from: usize, to: usize) -> Vec<BranchEdge> {
        let (from, to) = (NodeIndex::new(from), NodeIndex::new(to));
        let (Some(branch_pc), Some(target)) = (self.cfg.last_pc(from), self.cfg.block(to)) else {
            return Vec::new();
        };
        self.cfg
            .successors(from, false)
            .into_iter()
            .filter(|(node, _)| *node == to)
            .map(|(_, kind)| BranchEdge { branch_pc, target_pc: target.start_pc, kind: kind.clone() })
            .collect()
    }

    /// All edges of the branch or switch at `pc`; empty if `pc` is neither.
    pub fn edges_of(&self, pc: u32) -> Vec<BranchEdge> {
        let Some(node) = self.cfg.block_at(pc).filter(|n| self.cfg.last_pc(*n) == Some(pc)) else {
            return Vec::new();
        };
        let mut targets: Vec<usize> =
            self.cfg.successors(node, false).into_iter().map(|(to, _)| to.index()).collect();
        targets.dedup();
        if targets.len() < 2 {
            return Vec::new();
        }
        targets.into_iter().flat_map(|to| self.branch_edges(node.index(), to)).collect()
    }
}
