//! Expressions of `when`, `collect` and references, in Java syntax (DESIGN §6).
//!
//! This room parses them (`java.pest`), checks them against class files before the run ([`check`], [`place`])
//! and evaluates them at a point through a [`Machine`] ([`evaluate`]). It uses `model` and `bytecode` and
//! does no I/O: the run's own `Machine` reads the state.
//!
//! Names have their meaning in Java (JLS §6), with additions for debugging:
//! - A name is a local; otherwise a field of `this` or its superclasses (also private); otherwise a field of
//!   an outer instance or a captured local (`this$0`, `val$x`); otherwise a static field of an enclosing
//!   class; otherwise a class: nested here, imported by the source file, in the same package, in `java.lang`,
//!   or given by its full name. Without the source file, a class that the class file refers to.
//! - A member is looked up in the static type, if known, then in the runtime class, so casts are seldom
//!   needed. Overloads are selected by the runtime types of the arguments; a cast argument counts with the
//!   type of the cast.
//! - `==` with a string literal (or a string computed in the expression) compares text. Between two strings
//!   of the program it compares identity, as in Java: write `a.equals(b)`.
//! - `+` joins text with numbers, booleans, strings, boxes and `null`. For other objects write `.toString()`,
//!   so that code which runs in the debuggee is visible.
//! - `old(x)` is the value of `x` at the beginning of the call, if the [`Machine`] knows it; otherwise it
//!   calls a method with that name.
//! - `map{key}` is the entry of a map, whose changes can be asked for; where its value is read, it is
//!   `map.get(key)`.
//! - `.owner`, `.old`, `.new`, `.exception`, `.result` and `.index` are parts of the event.

mod calls;
mod casts;
mod check;
mod check_calls;
mod class_names;
mod compile;
mod concat;
mod error;
mod evaluate;
mod evaluator;
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
mod text_parts;
mod tree;
mod types;

#[cfg(test)]
mod tests;

pub use check::{check, check_condition};
pub use compile::{CompiledCondition, TestParameter, TestedEvent, TestedSite, compile};
pub use concat::text_of;
pub use error::{EvalError, ParseError, TypeError};
pub use evaluate::{evaluate, holds};
pub use lookup::ClassLookup;
pub use machine::{ClassInfo, FieldInfo, Invoked, Machine, MethodInfo};
pub use place::{VariableRef, place};
pub use reference::Reference;
pub use scope::{EventTypes, Scope, ScopeLocal};
pub use text_parts::{TextPart, text_parts};
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

impl Expr {
    /// Parses an expression.
    ///
    /// # Errors
    /// The column and what was expected there. Also fails if the expression is nested too deeply.
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

    /// The same expression with another text.
    pub fn shown_as(self, text: &str) -> Expr {
        Expr { text: text.into(), ..self }
    }

    /// Whether evaluation calls methods of the debuggee, which can change the program's state.
    pub fn has_calls(&self) -> bool {
        self.node.any(&|n| matches!(n, Node::Call { .. } | Node::Mapped { .. }))
    }

    /// Whether it uses this part of the event.
    pub fn uses(&self, part: EventPart) -> bool {
        self.node.any(&|n| *n == Node::Event(part))
    }

    /// The expression for a part of the event.
    pub fn event(part: EventPart) -> Expr {
        Expr::from_node(Node::Event(part))
    }

    /// The expression for the `java.lang.Class` object of a class, by its binary name.
    pub fn class_object(class: &str) -> Expr {
        Expr::from_node(Node::ClassObject(class.to_owned()))
    }

    /// The expression for a node.
    pub fn of_node(node: &Node) -> Expr {
        Expr::from_node(node.clone())
    }

    /// The expression for a field of this expression's value.
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
