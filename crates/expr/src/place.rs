//! Determines which variable a reference denotes, for `LastChange`.

use super::Expr;
use super::check::{Checker, Head};
use super::error::TypeError;
use super::lookup::{ClassLookup, FieldDeclaration, Names, Variable};
use super::scope::{EventTypes, Scope};
use super::tree::Node;
use super::types::Type;

/// A variable denoted by an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum VariableRef {
    /// A local variable or parameter of the frame.
    Local {
        /// Its name.
        name: String,
        /// Its slot in the frame.
        slot: u16,
        /// Its field descriptor.
        descriptor: String,
    },
    /// An instance field.
    Field {
        /// The expression for the object: `this` if the field stands alone, `this.this$0` for one of an outer
        /// instance.
        owner: Expr,
        /// Binary name of the declaring class.
        class: String,
        /// Its name; `val$x` for a captured local.
        name: String,
        /// Its field descriptor.
        descriptor: String,
    },
    /// A static field.
    Static {
        /// Binary name of the declaring class.
        class: String,
        /// Its name.
        name: String,
        /// Its field descriptor.
        descriptor: String,
    },
    /// An element of an array.
    Element {
        /// The expression for the array.
        array: Expr,
        /// The expression for the index.
        index: Expr,
        /// Its field descriptor; `None` if the expression does not determine it.
        descriptor: Option<String>,
    },
    /// A field of an object whose class is known only in the run.
    Unknown {
        /// The expression for the object.
        owner: Expr,
        /// The field's name.
        field: String,
    },
}

/// The variable denoted by an expression.
///
/// # Errors
/// Those of [`super::check`], and an expression that denotes no variable.
pub fn place(expr: &Expr, scope: &Scope, classes: &dyn ClassLookup) -> Result<VariableRef, TypeError> {
    let event = EventTypes::unknown();
    let checker = Checker { names: Names { scope, classes }, event: &event };
    let node = expr.node();
    let of = checker.type_of(node)?;
    match node {
        Node::Index { array, index } => Ok(VariableRef::Element {
            array: Expr::from_node((**array).clone()),
            index: Expr::from_node((**index).clone()),
            descriptor: of.descriptor(),
        }),
        Node::Name(_) | Node::Field { .. } => match node.dotted() {
            Some(parts) => dotted(&checker, node, &parts),
            None => member(&checker, node),
        },
        _ => Err(TypeError {
            text: expr.text().to_owned(),
            problem: format!(
                "is {} and names no variable; only locals, fields and array elements have changes",
                if of == Type::Unknown { "a value".to_owned() } else { format!("a value of type {of}") }
            ),
        }),
    }
}

fn dotted(checker: &Checker<'_>, node: &Node, parts: &[&str]) -> Result<VariableRef, TypeError> {
    match checker.head(parts)? {
        Some((Head::Variable(variable), used)) if used == parts.len() => match variable {
            Variable::Local(local) => Ok(VariableRef::Local {
                name: local.name.clone(),
                slot: local.slot,
                descriptor: local.descriptor.clone(),
            }),
            Variable::Field { owner, name, field } => Ok(of_field(owner, name, field)),
            Variable::Static { name, field } => Ok(of_static(name, field)),
            // `type_of` has already reported this error.
            Variable::NoInstance(_) => Err(no_variable(node, "needs an object")),
        },
        Some((Head::Class(class), used)) if used + 1 == parts.len() => {
            let name = parts.last().copied().unwrap_or_default();
            match checker.static_field(&class, name)? {
                Some(field) => Ok(of_static(name.to_owned(), field)),
                None => Ok(unknown(Node::Name(class), name)),
            }
        }
        _ => member(checker, node),
    }
}

/// A field of the expression before the last dot.
fn member(checker: &Checker<'_>, node: &Node) -> Result<VariableRef, TypeError> {
    let Node::Field { owner, name } = node else {
        // A single name that class files do not explain: a field of `this`, or of an unknown class.
        let Node::Name(name) = node else { return Err(no_variable(node, "names no variable")) };
        return Ok(unknown(Node::This, name));
    };
    // `super` selects where the field is looked up; the object is `this`.
    let object = if **owner == Node::Super { Node::This } else { (**owner).clone() };
    // If class files know nothing about a dotted name, its owner has no type.
    let of = match owner.dotted() {
        Some(_) => checker.type_of(node).and_then(|_| checker.owner_type(owner))?,
        None => checker.type_of(owner)?,
    };
    if matches!(of, Type::Array(_)) && name == "length" {
        return Err(no_variable(node, "the length of an array never changes"));
    }
    Ok(match checker.member(&owner.to_string(), &of, name)? {
        Some(field) if field.is_static => of_static(name.clone(), field),
        Some(field) => of_field(object, name.clone(), field),
        None => unknown(object, name),
    })
}

fn of_field(owner: Node, name: String, field: FieldDeclaration) -> VariableRef {
    let FieldDeclaration { class, descriptor, .. } = field;
    VariableRef::Field { owner: Expr::from_node(owner), class, name, descriptor }
}

fn of_static(name: String, field: FieldDeclaration) -> VariableRef {
    VariableRef::Static { class: field.class, name, descriptor: field.descriptor }
}

fn unknown(owner: Node, field: &str) -> VariableRef {
    VariableRef::Unknown { owner: Expr::from_node(owner), field: field.to_owned() }
}

fn no_variable(node: &Node, problem: &str) -> TypeError {
    TypeError { text: node.to_string(), problem: problem.to_owned() }
}
