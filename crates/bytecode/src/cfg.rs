//! The control flow graph of a method: basic blocks and labelled edges, as a petgraph graph. Exception edges
//! are labelled, so that each analysis can include or exclude them.

use crate::class::Code;
use crate::flow::Flow;
use crate::op::Op;
use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;
use std::collections::{BTreeMap, BTreeSet};

/// A basic block: instructions that execute in sequence unless one throws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Code index of its first instruction.
    pub start_pc: u32,
    /// Code index after its last instruction.
    pub end_pc: u32,
    /// Position of its first instruction in [`Code::instructions`].
    pub first: usize,
    /// Position of its last instruction.
    pub last: usize,
}

/// Why control passes from one block to another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EdgeKind {
    /// To the next instruction; for a conditional branch: not taken.
    FallThrough,
    /// A `goto`, or a conditional branch that was taken.
    Taken,
    /// A switch with one of these keys; `None` is the default. Keys with the same target share one edge.
    Case(Vec<Option<i32>>),
    /// An exception of this class (`None`: any) that the handler catches.
    Handler(Option<String>),
}

impl EdgeKind {
    /// Whether an exception takes the edge.
    pub fn is_handler(&self) -> bool {
        matches!(self, EdgeKind::Handler(_))
    }
}

/// The control flow graph of one method. Node 0 is the method's entry.
#[derive(Debug, Clone)]
pub struct Cfg {
    graph: DiGraph<Block, EdgeKind>,
    /// The block of each instruction, by position.
    block_of: Vec<usize>,
    /// The code index of each instruction, by position.
    pcs: Vec<u32>,
}

/// The normal successors of an instruction (as code indices) with the kind of the edge. Each target occurs
/// once per kind.
pub fn normal_edges(code: &Code, position: usize) -> Vec<(u32, EdgeKind)> {
    let Some(instruction) = code.instructions.get(position) else { return Vec::new() };
    let next = code.instructions.get(position + 1).map(|i| i.pc);
    let fall = next.map(|pc| (pc, EdgeKind::FallThrough));
    match &instruction.op {
        Op::If { target, .. } | Op::Jsr { target } => {
            let mut edges = vec![(*target, EdgeKind::Taken)];
            edges.extend(fall);
            edges
        }
        Op::Goto { target } => vec![(*target, EdgeKind::Taken)],
        Op::Switch { keys, default } => {
            let mut cases: BTreeMap<u32, Vec<Option<i32>>> = BTreeMap::new();
            for (key, target) in keys {
                // Holes in a table have the default as their target: they are the default.
                if target != default {
                    cases.entry(*target).or_default().push(Some(*key));
                }
            }
            cases.entry(*default).or_default().push(None);
            cases.into_iter().map(|(target, keys)| (target, EdgeKind::Case(keys))).collect()
        }
        op if op.ends_flow() => Vec::new(),
        _ => fall.into_iter().collect(),
    }
}

fn leaders(code: &Code) -> BTreeSet<u32> {
    let mut leaders = BTreeSet::from([0]);
    for (position, instruction) in code.instructions.iter().enumerate() {
        let targets = instruction.op.targets();
        if instruction.op.ends_flow() || !targets.is_empty() {
            leaders.extend(code.instructions.get(position + 1).map(|i| i.pc));
        }
        leaders.extend(targets);
    }
    for handler in &code.handlers {
        leaders.extend([handler.start_pc, handler.end_pc, handler.handler_pc]);
    }
    leaders
}

impl Cfg {
    /// Builds the graph of a method.
    pub fn new(code: &Code) -> Cfg {
        let leaders = leaders(code);
        let mut graph: DiGraph<Block, EdgeKind> = DiGraph::new();
        let mut block_of = Vec::with_capacity(code.instructions.len());
        let mut current: Option<Block> = None;
        for (position, instruction) in code.instructions.iter().enumerate() {
            if leaders.contains(&instruction.pc)
                && let Some(done) = current.take()
            {
                graph.add_node(done);
            }
            let block = current.get_or_insert(Block {
                start_pc: instruction.pc,
                end_pc: instruction.next_pc(),
                first: position,
                last: position,
            });
            block.end_pc = instruction.next_pc();
            block.last = position;
            block_of.push(graph.node_count());
        }
        if let Some(done) = current {
            graph.add_node(done);
        }
        let pcs = code.instructions.iter().map(|i| i.pc).collect();
        let mut cfg = Cfg { graph, block_of, pcs };
        cfg.add_edges(code);
        cfg
    }

    fn add_edges(&mut self, code: &Code) {
        let blocks: Vec<(NodeIndex, Block)> =
            self.graph.node_indices().filter_map(|n| Some((n, self.graph.node_weight(n)?.clone()))).collect();
        for (node, block) in blocks {
            for (target, kind) in normal_edges(code, block.last) {
                if let Some(to) = self.block_at(target) {
                    self.graph.add_edge(node, to, kind);
                }
            }
            let mut seen = BTreeSet::new();
            for handler in
                code.handlers.iter().filter(|h| h.start_pc < block.end_pc && block.start_pc < h.end_pc)
            {
                if let Some(to) = self.block_at(handler.handler_pc)
                    && seen.insert((to, handler.catch_type.clone()))
                {
                    self.graph.add_edge(node, to, EdgeKind::Handler(handler.catch_type.clone()));
                }
            }
        }
    }

    /// The underlying petgraph graph.
    pub fn graph(&self) -> &DiGraph<Block, EdgeKind> {
        &self.graph
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.graph.node_count()
    }

    /// Whether the method has no instructions.
    pub fn is_empty(&self) -> bool {
        self.graph.node_count() == 0
    }

    /// The instructions from `start` up to but not including `end`.
    pub(crate) fn pcs_between(&self, start: u32, end: u32) -> &[u32] {
        let position = |pc: u32| self.pcs.partition_point(|known| *known < pc);
        self.pcs.get(position(start)..position(end)).unwrap_or_default()
    }

    /// The block that contains the instruction at `pc`; `None` if no instruction starts there.
    pub fn block_at(&self, pc: u32) -> Option<NodeIndex> {
        let position = self.pcs.binary_search(&pc).ok()?;
        self.block_of.get(position).map(|b| NodeIndex::new(*b))
    }

    /// The block of a node.
    pub fn block(&self, node: NodeIndex) -> Option<&Block> {
        self.graph.node_weight(node)
    }

    /// The code index of the block's last instruction.
    pub fn last_pc(&self, node: NodeIndex) -> Option<u32> {
        self.pcs.get(self.block(node)?.last).copied()
    }

    /// The successors in code order, with or without exception edges.
    pub fn successors(&self, node: NodeIndex, exceptions: bool) -> Vec<(NodeIndex, &EdgeKind)> {
        let mut found: Vec<_> = self
            .graph
            .edges_directed(node, Direction::Outgoing)
            .filter(|e| exceptions || !e.weight().is_handler())
            .map(|e| (e.target(), e.weight()))
            .collect();
        found.sort();
        found
    }

    /// The predecessors in code order, with or without exception edges.
    pub fn predecessors(&self, node: NodeIndex, exceptions: bool) -> Vec<(NodeIndex, &EdgeKind)> {
        let mut found: Vec<_> = self
            .graph
            .edges_directed(node, Direction::Incoming)
            .filter(|e| exceptions || !e.weight().is_handler())
            .map(|e| (e.source(), e.weight()))
            .collect();
        found.sort();
        found
    }

    /// The blocks in which a handler begins.
    pub fn handler_blocks(&self) -> Vec<NodeIndex> {
        self.graph
            .node_indices()
            .filter(|n| self.graph.edges_directed(*n, Direction::Incoming).any(|e| e.weight().is_handler()))
            .collect()
    }
}

/// The method's graph with numbered nodes. Without exception edges each handler is an entry.
pub(crate) fn flow_of(cfg: &Cfg, exceptions: bool) -> Flow {
    let successors = cfg
        .graph()
        .node_indices()
        .map(|n| cfg.successors(n, exceptions).into_iter().map(|(to, _)| to.index()).collect())
        .collect();
    let mut entries = if cfg.is_empty() { Vec::new() } else { vec![0] };
    if !exceptions {
        entries.extend(cfg.handler_blocks().into_iter().map(NodeIndex::index).filter(|n| *n != 0));
    }
    Flow { successors, entries }
}
