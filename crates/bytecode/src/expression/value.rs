//! What the symbolic operand stack holds: an expression, how its value can be read back, and what ends that.

use super::node::ExprNode;
use crate::op::Kind;

/// Longest expression kept, in nodes: beyond it the text is of no use to a reader.
const MAX_SIZE: usize = 120;
/// Most readable leaves kept per value.
const MAX_LEAVES: usize = 8;

/// One operand. `long` and `double` are one operand here, with a kind two slots wide.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The expression as the source may have said it.
    pub(crate) node: ExprNode,
    /// An expression that gives the same value if evaluated now.
    pub(crate) read: Option<ExprNode>,
    /// Parts of the expression (variables, fields, elements) that still give the value they gave.
    pub(crate) leaves: Vec<ExprNode>,
    pub(crate) kind: Kind,
    /// The `new`, `newarray` or `anewarray` that made it, while its initialisation goes on.
    pub(crate) origin: Option<usize>,
    /// The `dup` that this operand shares with another.
    pub(crate) shared: Option<usize>,
}

/// What an instruction may change, for expressions loaded before it.
#[derive(Debug, Clone)]
pub(crate) enum Change<'a> {
    /// A local variable.
    Slot(u16),
    /// A field of that name, in whatever object.
    Field(&'a str),
    /// Some array element.
    Element,
    /// Anything on the heap: a call, or a monitor after which other threads' writes are seen.
    Heap,
}

impl Change<'_> {
    fn affects(&self, node: &ExprNode) -> bool {
        node.any(&|part| match (self, part) {
            (Change::Slot(slot), ExprNode::Local { slot: other, descriptor, .. }) => {
                slot == other
                    || (matches!(descriptor.as_deref(), Some("J" | "D"))
                        && other.checked_add(1) == Some(*slot))
            }
            (
                Change::Field(name),
                ExprNode::Field { name: other, .. } | ExprNode::Static { name: other, .. },
            ) => name == other,
            (Change::Element, ExprNode::ArrayLoad { .. }) => true,
            (Change::Heap, ExprNode::Field { .. } | ExprNode::Static { .. } | ExprNode::ArrayLoad { .. }) => {
                true
            }
            _ => false,
        })
    }
}

impl Value {
    pub(crate) fn unknown(kind: Kind) -> Value {
        Value::opaque(ExprNode::Unknown, kind, Vec::new())
    }

    /// A value that cannot be read back, with the leaves of its operands.
    pub(crate) fn opaque(node: ExprNode, kind: Kind, leaves: Vec<ExprNode>) -> Value {
        let node = if node.size() > MAX_SIZE { ExprNode::Unknown } else { node };
        Value { node, read: None, leaves, kind, origin: None, shared: None }
    }

    /// A variable, field or element: a leaf when it can be read back.
    pub(crate) fn leaf(
        node: ExprNode,
        read: Option<ExprNode>,
        kind: Kind,
        mut leaves: Vec<ExprNode>,
    ) -> Value {
        if let Some(read) = &read {
            // An owner alone says little once the field itself can be read.
            leaves.clear();
            leaves.push(read.clone());
        }
        Value { read, ..Value::opaque(node, kind, leaves) }
    }

    /// An operator's result: readable when all its operands are.
    pub(crate) fn operation(
        node: ExprNode,
        read: Option<ExprNode>,
        kind: Kind,
        operands: &[&Value],
    ) -> Value {
        Value {
            read: read.filter(|r| r.size() <= MAX_SIZE),
            ..Value::opaque(node, kind, leaves_of(operands))
        }
    }

    pub(crate) fn apply(&mut self, change: &Change<'_>) {
        if self.read.as_ref().is_some_and(|read| change.affects(read)) {
            self.read = None;
        }
        self.leaves.retain(|leaf| !change.affects(leaf));
    }
}

pub(crate) fn leaves_of(operands: &[&Value]) -> Vec<ExprNode> {
    let mut found: Vec<ExprNode> = Vec::new();
    for leaf in operands.iter().flat_map(|o| &o.leaves) {
        if found.len() < MAX_LEAVES && !found.contains(leaf) {
            found.push(leaf.clone());
        }
    }
    found
}
