//! The parts of the text that a log point writes: what `+` joins (JLS §15.18.1).

use super::Expr;
use super::check::Checker;
use super::lookup::{ClassLookup, Names};
use super::scope::{EventTypes, Scope};
use super::tree::{BinaryOperator, Literal, Node};

/// A part of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum TextPart {
    /// Text that the expression contains.
    Constant(String),
    /// The text of a value.
    Value(Expr),
}

/// The parts that an expression joins, in their order. An expression that joins nothing is the only part.
pub fn text_parts(expr: &Expr, scope: &Scope, classes: &dyn ClassLookup) -> Vec<TextPart> {
    let event = EventTypes::default();
    let checker = Checker { names: Names { scope, classes }, event: &event };
    let mut parts = Vec::new();
    add(expr.node(), &checker, &mut parts);
    parts
}

fn add(node: &Node, checker: &Checker<'_>, parts: &mut Vec<TextPart>) {
    match node {
        Node::Literal(Literal::Text(text)) => parts.push(TextPart::Constant(text.clone())),
        Node::Binary { operator: BinaryOperator::Add, left, right }
            if is_text(left, checker) || is_text(right, checker) =>
        {
            add(left, checker, parts);
            add(right, checker, parts);
        }
        _ => parts.push(TextPart::Value(Expr::of_node(node))),
    }
}

fn is_text(node: &Node, checker: &Checker<'_>) -> bool {
    checker.type_of(node).is_ok_and(|of| of.is_string())
}
