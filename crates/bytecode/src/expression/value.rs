//! The entries of the symbolic operand stack: an expression, how to read its value back, and what invalidates
//! that.

use super::node::ExprNode;
use crate::op::Kind;

/// Maximum size of an expression in nodes; a longer text is useless to a reader.
const MAX_SIZE: usize = 120;
/// Maximum number of readable parts per value.
const MAX_LEAVES: usize = 8;

/// One operand. A `long` or `double` is one operand whose kind is two slots wide.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The expression as the source may have written it.
    pub(crate) node: ExprNode,
    /// An expression that gives the same value when evaluated now.
    pub(crate) read: Option<ExprNode>,
    /// Parts of the expression (variables, fields, elements) whose values have not changed since.
    pub(crate) leaves: Vec<ExprNode>,
    pub(crate) kind: Kind,
    /// Position of the `new`, `newarray` or `anewarray` that created it, until it is initialised.
    pub(crate) origin: Option<usize>,
    /// Position of the `dup` that copied this operand.
    pub(crate) shared: Option<usize>,
}

/// What an instruction may change in expressions loaded before it.
#[derive(Debug, Clone)]
pub(crate) enum Change<'a> {
    /// A local variable.
    Slot(u16),
    /// A field with this name, of any object.
    Field(&'a str),
    /// Any array element.
    Element,
    /// Anything on the heap: a call, or a monitor operation that makes writes of other threads visible.
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

    /// A value that cannot be read back, with the readable parts of its operands.
    pub(crate) fn opaque(node: ExprNode, kind: Kind, leaves: Vec<ExprNode>) -> Value {
        let node = if node.size() > MAX_SIZE { ExprNode::Unknown } else { node };
        Value { node, read: None, leaves, kind, origin: None, shared: None }
    }

    /// A variable, field or element; a readable part if it can be read back.
    pub(crate) fn leaf(
        node: ExprNode,
        read: Option<ExprNode>,
        kind: Kind,
        mut leaves: Vec<ExprNode>,
    ) -> Value {
        if let Some(read) = &read {
            // The owner alone is of little use if the field itself can be read.
            leaves.clear();
            leaves.push(read.clone());
        }
        Value { read, ..Value::opaque(node, kind, leaves) }
    }

    /// The result of an operator: readable if all its operands are.
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
