//! Expressions of `when`, `collect` and references, in Java syntax (DESIGN §6).
//!
//! This room parses them (`java.pest`), checks them against class files before the run ([`check`], [`place`])
//! and evaluates them at a point through a [`Machine`] ([`evaluate`]). It may use `model` and `bytecode` and
//! does no I/O: what a run can read, the run's own `Machine` reads.
//!
//! Names mean what they mean in Java (JLS §6), with what a debugger needs on top:
//! - a name is a local, else a field of `this` or its superclasses (private ones too), else one of the outer
//!   instances' or a captured local (`this$0`, `val$x`), else a static field of an enclosing class, else a
//!   class: nested here, of the same package, of `java.lang`, or by its full name. Class files do not keep
//!   imports, so a class of another package is written with its package.
//! - a member is looked up in the static type where one is known, then in the runtime class, so casts are
//!   seldom needed. Overloads are chosen by the runtime types of the arguments; a cast argument counts as its
//!   cast.
//! - `==` with a string literal (or a text computed in the expression) compares text. Between two strings of
//!   the program it compares identity, as in Java: write `a.equals(b)`.
//! - `+` joins text with numbers, booleans, strings, boxes and `null`. For other objects write `.toString()`:
//!   what runs code in the debuggee shall be visible.
//! - `old(x)` is what `x` was as the call began, where a [`Machine`] knows that; elsewhere it calls a method
//!   of that name.
//! - `.owner`, `.old`, `.new`, `.exception` and `.result` are what the event itself knows.

mod calls;
mod casts;
mod check;
mod check_calls;
mod concat;
mod error;
mod evaluate;
mod hierarchy;
mod literal;
mod lookup;
mod machine;
mod number;
mod operands;
mod overload;
mod parse;
mod place;
mod reference;
mod resolve;
mod scope;
mod tree;
mod types;

#[cfg(test)]
mod tests;

pub use check::{check, check_condition};
pub use error::{EvalError, ParseError, TypeError};
pub use evaluate::evaluate;
pub use lookup::ClassLookup;
pub use machine::{ClassInfo, FieldInfo, Invoked, Machine, MethodInfo};
pub use place::{Place, place};
pub use reference::Reference;
pub use scope::{EventTypes, Scope, ScopeLocal};
pub use tree::{BinaryOperator, ElementName, EventPart, Literal, Node, TypeName, UnaryOperator};
pub use types::{Primitive, Type, method_types};

use std::fmt;
use std::sync::Arc;

/// A parsed expression. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    text: Arc<str>,
    node: Arc<Node>,
}

/// What is wrong with a key of a map where a value is read.
const NOT_READ: &str = "only `LastChange` asks for what a map has for a key; read a value with its `get`";

impl Expr {
    /// Parses an expression.
    ///
    /// # Errors
    /// The column and what was expected there; also an expression that is nested too deeply.
    pub fn parse(text: &str) -> Result<Expr, ParseError> {
        parse::expression(text)
    }

    /// The source text, as the user wrote it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tree.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Whether evaluating it calls methods of the debuggee, which can change the program.
    pub fn has_calls(&self) -> bool {
        self.node.any(&|n| matches!(n, Node::Call { .. }))
    }

    /// Whether it asks for this part of the event.
    pub fn uses(&self, part: EventPart) -> bool {
        self.node.any(&|n| *n == Node::Event(part))
    }

    /// What an event itself knows.
    pub fn event(part: EventPart) -> Expr {
        Expr::from_node(Node::Event(part))
    }

    /// A node alone.
    pub fn of_node(node: &Node) -> Expr {
        Expr::from_node(node.clone())
    }

    /// A field of what it gives.
    pub fn field(&self, name: &str) -> Expr {
        Expr::from_node(Node::Field { owner: Box::new(self.node().clone()), name: name.to_owned() })
    }

    fn from_node(node: Node) -> Expr {
        Expr { text: node.to_string().into(), node: Arc::new(node) }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
