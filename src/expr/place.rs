//! Which variable a reference names: what `LastChange` watches.

use super::Expr;
use super::check::{Checker, Head};
use super::error::TypeError;
use super::lookup::{ClassLookup, FieldDeclaration, Names, Variable};
use super::scope::{EventTypes, Scope};
use super::tree::Node;
use super::types::Type;

/// A variable that an expression names.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A local variable or parameter of the frame.
    Local {
        /// Its name.
        name: String,
        /// Its index in the frame's local variable array.
        slot: u16,
        /// Its field descriptor.
        descriptor: String,
    },
    /// An instance field.
    Field {
        /// Gives the object, at the frame: `this` where the field stands alone, `this.this$0` for an outer
        /// one.
        owner: Expr,
        /// Binary name of the class that declares the field.
        class: String,
        /// Its name; `val$x` for a captured local.
        name: String,
        /// Its field descriptor.
        descriptor: String,
    },
    /// A static field.
    Static {
        /// Binary name of the class that declares the field.
        class: String,
        /// Its name.
        name: String,
        /// Its field descriptor.
        descriptor: String,
    },
    /// An element of an array.
    Element {
        /// Gives the array, at the frame.
        array: Expr,
        /// Gives the index, at the frame.
        index: Expr,
        /// Its field descriptor; none where the expression does not tell.
        descriptor: Option<String>,
    },
    /// A field of an object whose class only the run tells.
    Unknown {
        /// Gives the object, at the frame.
        owner: Expr,
        /// The field's name.
        field: String,
    },
}

/// The variable an expression names.
///
/// # Errors
/// As [`super::check`], and an expression that names no variable.
pub fn place(expr: &Expr, scope: &Scope, classes: &dyn ClassLookup) -> Result<Place, TypeError> {
    let event = EventTypes::unknown();
    let checker = Checker { names: Names { scope, classes }, event: &event };
    let node = expr.node();
    let of = checker.type_of(node)?;
    match node {
        Node::Index { array, index } => Ok(Place::Element {
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
                "is {} and names no variable; a local, a field or an array element has changes",
                if of == Type::Unknown { "a value".to_owned() } else { format!("a value of type {of}") }
            ),
        }),
    }
}

fn dotted(checker: &Checker<'_>, node: &Node, parts: &[&str]) -> Result<Place, TypeError> {
    match checker.head(parts)? {
        Some((Head::Variable(variable), used)) if used == parts.len() => match variable {
            Variable::Local(local) => Ok(Place::Local {
                name: local.name.clone(),
                slot: local.slot,
                descriptor: local.descriptor.clone(),
            }),
            Variable::Field { owner, name, field } => Ok(of_field(owner, name, field)),
            Variable::Static { name, field } => Ok(of_static(name, field)),
            // `type_of` has refused it already; this repeats why.
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

/// A field of what stands left of the last dot.
fn member(checker: &Checker<'_>, node: &Node) -> Result<Place, TypeError> {
    let Node::Field { owner, name } = node else {
        // A lone name that class files do not explain: a field of `this` or one of a class that is not known.
        let Node::Name(name) = node else { return Err(no_variable(node, "names no variable")) };
        return Ok(unknown(Node::This, name));
    };
    // `super` selects where the field is looked up; the object is `this`.
    let object = if **owner == Node::Super { Node::This } else { (**owner).clone() };
    // A dotted name of which the class files know nothing has no typed owner.
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

fn of_field(owner: Node, name: String, field: FieldDeclaration) -> Place {
    let FieldDeclaration { class, descriptor, .. } = field;
    Place::Field { owner: Expr::from_node(owner), class, name, descriptor }
}

fn of_static(name: String, field: FieldDeclaration) -> Place {
    Place::Static { class: field.class, name, descriptor: field.descriptor }
}

fn unknown(owner: Node, field: &str) -> Place {
    Place::Unknown { owner: Expr::from_node(owner), field: field.to_owned() }
}

fn no_variable(node: &Node, problem: &str) -> TypeError {
    TypeError { text: node.to_string(), problem: problem.to_owned() }
}
