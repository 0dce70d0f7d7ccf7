//! A jump at which an operation may have been lost.

use super::chains::Chain;
use super::executed::JumpSite;
use petgraph::graph::NodeIndex;
use program::call_index::MethodAt;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What identifies a candidate: the method, the jump, where the other way begins, and the chain's first
/// instruction and use site.
pub(super) type Key = (u32, JumpSite, u32, u32, (MethodAt, u32));

/// A jump at which an operation was lost in some calls.
pub(super) struct Candidate<'c> {
    /// The number of the jump's method.
    pub method: u32,
    /// The jump.
    pub jump: JumpSite,
    /// The code index of the jump's instruction.
    pub pc: u32,
    /// The code index where the other way begins.
    pub to: u32,
    /// The calls that lead to the operation.
    pub chain: Rc<Chain<'c>>,
    /// The blocks between the jump and the operation.
    pub between: BTreeSet<NodeIndex>,
    /// The calls in which it was lost, as far as they are named.
    pub calls: BTreeSet<u32>,
    /// Whether the same calls executed the operation at other times.
    pub is_partial: bool,
}
