//! The state of a simulated method.

use super::node::ExprNode;
use super::value::Value;
use crate::cfg::Cfg;
use crate::class::{ClassFile, Code, Method};
use crate::flow::Tree;
use crate::kind::Kind;
use crate::stores::Reaching;
use std::collections::{BTreeMap, HashMap};

/// The code of a method with every expression rebuilt.
#[derive(Debug)]
pub(crate) struct Simulation<'a> {
    pub(crate) class: &'a ClassFile,
    pub(crate) method: &'a Method,
    pub(crate) code: &'a Code,
    pub(crate) cfg: Cfg,
    /// Dominators of normal control flow; handlers are entries.
    pub(crate) dominators: Tree,
    /// The operands that each instruction pops, deepest first, by position.
    pub(crate) operands: BTreeMap<usize, Vec<Value>>,
    /// The value that each load of a variable, field or element pushes, by position.
    pub(crate) reads: BTreeMap<usize, ExprNode>,
    /// What each instruction that computes or reads a value pushes, by position.
    pub(crate) pushed: BTreeMap<usize, Pushed>,
    /// The kind of the value on top of the stack at the start of each block where paths join.
    pub(crate) joined: BTreeMap<usize, Kind>,
    /// The condition at the end of each block, if any.
    pub(crate) jumps: Vec<Option<Jump>>,
    /// The value stored by each store to a slot, by code index.
    pub(crate) stored: HashMap<u32, ExprNode>,
    pub(super) reaching: HashMap<u16, ReachingSlot>,
    pub(super) this_in_slot_0: bool,
}

/// A value on top of the operand stack.
#[derive(Debug, Clone)]
pub(crate) struct Pushed {
    pub(crate) node: ExprNode,
    pub(crate) kind: Kind,
}

/// The reaching definitions of a slot.
#[derive(Debug)]
pub(crate) struct ReachingSlot(pub(super) Reaching);

/// The condition at the end of a block.
#[derive(Debug, Clone)]
pub(crate) struct Jump {
    /// Holds when the branch falls through.
    pub(crate) node: ExprNode,
    pub(crate) taken: usize,
    pub(crate) fall: usize,
}

/// Conditions combined by `&&` and `||`.
#[derive(Debug, Clone)]
pub(crate) struct Compound {
    /// Holds when control passes to `fall`.
    pub(crate) node: ExprNode,
    pub(crate) taken: usize,
    pub(crate) fall: usize,
    /// The blocks of the operands. The flag says whether the operand's own condition (for falling through) is
    /// negated in `node`.
    pub(crate) parts: Vec<(usize, bool)>,
}
