//! Computes the types of an expression before the run, as far as class files determine them. Reports only
//! definite errors.

use super::Expr;
use super::class_names::{ambiguous_field, get_hint, is_called};
use super::error::{TypeError, UNKNOWN_NAME, nearest};
use super::lookup::{ClassLookup, FieldDeclaration, Lookup, Names, NoClasses, Variable};
use super::overload::boxes_to;
use super::scope::{EventTypes, Scope};
use super::tree::{BinaryOperator, ElementName, Literal, Node, TypeName, UnaryOperator};
use super::types::{Primitive, Type};

/// The type of an expression in a frame; [`Type::Unknown`] if a class is unknown.
///
/// # Errors
/// Definite errors: an undefined name, operands of the wrong type, or arguments that no method accepts.
pub fn check(
    expr: &Expr,
    scope: &Scope,
    classes: &dyn ClassLookup,
    event: &EventTypes,
) -> Result<Type, TypeError> {
    Checker { names: Names { scope, classes }, event }.type_of(expr.node())
}

/// Checks a condition: its type must be `boolean` (or `Boolean`).
///
/// # Errors
/// Those of [`check`], and an expression of another type.
pub fn check_condition(
    expr: &Expr,
    scope: &Scope,
    classes: &dyn ClassLookup,
    event: &EventTypes,
) -> Result<(), TypeError> {
    let checker = Checker { names: Names { scope, classes }, event };
    checker.condition(expr.node())
}

/// The common primitive type of both branches of a conditional, as far as the expression alone determines it.
pub(super) fn conditional_primitive(
    yes: &Node,
    no: &Node,
    scope: &Scope,
    event: &EventTypes,
) -> Option<Primitive> {
    let checker = Checker { names: Names { scope, classes: &NoClasses }, event };
    let a = checker.type_of(yes).ok()?.unboxed()?;
    let b = checker.type_of(no).ok()?.unboxed()?;
    branches(yes, a, no, b)
}

/// The type of a conditional with two numeric (or two boolean) branches (JLS §15.25.2).
fn branches(yes: &Node, a: Primitive, no: &Node, b: Primitive) -> Option<Primitive> {
    let small = |p| matches!(p, Primitive::Byte | Primitive::Short | Primitive::Char);
    match (a, b) {
        _ if a == b => Some(a),
        (Primitive::Boolean, _) | (_, Primitive::Boolean) => None,
        (Primitive::Byte, Primitive::Short) | (Primitive::Short, Primitive::Byte) => Some(Primitive::Short),
        (p, Primitive::Int) if small(p) && fits(no, p) => Some(p),
        (Primitive::Int, p) if small(p) && fits(yes, p) => Some(p),
        _ => Some(a.promoted_with(b)),
    }
}

/// Whether the node is an `int` constant that fits the smaller type.
fn fits(node: &Node, into: Primitive) -> bool {
    let value = match node {
        Node::Literal(Literal::Int(v)) => i64::from(*v),
        Node::Unary { operator: UnaryOperator::Negate, operand } => match **operand {
            Node::Literal(Literal::Int(v)) => -i64::from(v),
            _ => return false,
        },
        _ => return false,
    };
    match into {
        Primitive::Byte => i8::try_from(value).is_ok(),
        Primitive::Short => i16::try_from(value).is_ok(),
        Primitive::Char => u16::try_from(value).is_ok(),
        _ => false,
    }
}

pub(super) struct Checker<'a> {
    pub(super) names: Names<'a>,
    pub(super) event: &'a EventTypes,
}

/// The meaning of the first parts of a dotted name.
pub(super) enum Head<'a> {
    Variable(Variable<'a>),
    Class(String),
}

pub(super) fn wrong<T>(node: impl ToString, problem: impl Into<String>) -> Result<T, TypeError> {
    Err(TypeError { text: node.to_string(), problem: problem.into() })
}

impl<'a> Checker<'a> {
    pub(super) fn type_of(&self, node: &Node) -> Result<Type, TypeError> {
        match node {
            Node::Literal(literal) => Ok(match literal {
                Literal::Null => Type::Null,
                Literal::Boolean(_) => Type::BOOLEAN,
                Literal::Char(_) => Type::Primitive(Primitive::Char),
                Literal::Int(_) => Type::INT,
                Literal::Long(_) => Type::Primitive(Primitive::Long),
                Literal::Float(_) => Type::Primitive(Primitive::Float),
                Literal::Double(_) => Type::Primitive(Primitive::Double),
                Literal::Text(_) => Type::string(),
            }),
            Node::Name(name) => match self.head(&[name])? {
                Some((Head::Variable(variable), _)) => self.variable_type(name, variable),
                Some((Head::Class(class), _)) => wrong(name, format!("is the class {class}, not a value")),
                None => Ok(Type::Unknown),
            },
            Node::This | Node::Super if self.names.scope.is_static => {
                wrong(node, "there is no `this` in a static method")
            }
            Node::This => Ok(Type::Class(self.names.scope.class.clone())),
            Node::Super => Ok(self.above()),
            Node::OuterThis(class) => self.outer_this(node, class),
            Node::ClassObject(_) => Ok(Type::Class("java.lang.Class".into())),
            Node::Event(part) => match self.event.of(*part) {
                Some(of) => Ok(of.clone()),
                None => wrong(node, "this event has no such part"),
            },
            Node::Field { owner, name } => self.field(node, owner, name),
            Node::Index { array, index } => self.element(array, index),
            Node::Mapped { map, key } => self.call(node, Some(map), "get", std::slice::from_ref(key)),
            Node::Call { owner, name, arguments } => self.call(node, owner.as_deref(), name, arguments),
            Node::Unary { operator, operand } => self.unary(node, *operator, operand),
            Node::Binary { operator, left, right } => self.binary(node, *operator, left, right),
            Node::Cast { to, operand } => self.cast(node, to, operand),
            Node::InstanceOf { operand, class } => {
                let of = self.type_of(operand)?;
                match of {
                    Type::Primitive(_) | Type::Void => wrong(node, format!("{of} is not an object")),
                    _ => self.written(class).map(|_| Type::BOOLEAN),
                }
            }
            Node::Conditional { condition, yes, no } => {
                self.condition(condition)?;
                let (a, b) = (self.type_of(yes)?, self.type_of(no)?);
                Ok(match (a.unboxed(), b.unboxed()) {
                    (Some(p), Some(q)) => branches(yes, p, no, q).map_or(Type::Unknown, Type::Primitive),
                    _ if a == b || b == Type::Null && a.is_reference() => a,
                    _ if a == Type::Null && b.is_reference() => b,
                    _ => Type::Unknown,
                })
            }
        }
    }

    fn condition(&self, node: &Node) -> Result<(), TypeError> {
        match self.type_of(node)? {
            Type::Unknown => Ok(()),
            found if found.unboxed() == Some(Primitive::Boolean) => Ok(()),
            found if found == Type::class("java.lang.Object") => Ok(()),
            found => wrong(node, format!("is {found} where a boolean is needed")),
        }
    }

    /// The superclass of the frame's class.
    fn above(&self) -> Type {
        let file = self.names.classes.class(&self.names.scope.class);
        file.and_then(|f| f.super_name.clone()).map_or(Type::Unknown, |name| Type::class(&name))
    }

    fn outer_this(&self, node: &Node, written: &str) -> Result<Type, TypeError> {
        let mut class = self.names.scope.class.to_string();
        let mut owner = (!self.names.scope.is_static).then_some(Node::This);
        loop {
            if is_called(&class, written) {
                return match owner {
                    Some(_) => Ok(Type::class(&class)),
                    None => wrong(node, format!("no instance of {class} is available here")),
                };
            }
            match self.names.outwards(&class, owner) {
                Some((outer, way)) => (class, owner) = (outer, way),
                None if self.names.classes.class(&class).is_none() => return Ok(Type::Unknown),
                None => {
                    let own = &self.names.scope.class;
                    return wrong(node, format!("{written} is not a class around {own}"));
                }
            }
        }
    }

    /// The meaning of the start of a dotted name, and the number of its parts; `None` if class files do not
    /// determine it.
    pub(super) fn head(&self, parts: &[&str]) -> Result<Option<(Head<'a>, usize)>, TypeError> {
        let Some(first) = parts.first() else { return Ok(None) };
        let variable = self.names.variable(first);
        if let Lookup::Found(variable) = variable {
            return Ok(Some((Head::Variable(variable), 1)));
        }
        let imported = self.names.imported_fields(first);
        if variable == Lookup::Missing && imported.len() > 1 {
            return wrong(first, ambiguous_field(&imported, first));
        }
        if let Some((class, used)) = self.names.class_prefix(parts, true)? {
            return Ok(Some((Head::Class(class), used)));
        }
        let scope = self.names.scope;
        // `a.b` can be a field of an unknown class; a single name cannot. Classes do not begin with a
        // lower-case letter either, so `recrod.bar` is a typing error, while `a.b.c` may name a package.
        let may_be_class = parts.len() > 2 || parts.len() == 2 && first.starts_with(char::is_uppercase);
        if variable == Lookup::Unknown || may_be_class {
            return Ok(None);
        }
        let names = self.names.variable_names();
        let mut hint = nearest(first, names.iter().map(String::as_str));
        if hint.is_empty() && !scope.has_variable_table {
            hint = format!("; {} has no table of its locals: compile it with -g", scope.class);
        }
        wrong(first, format!("{UNKNOWN_NAME}{hint}"))
    }

    fn variable_type(&self, name: &str, variable: Variable<'a>) -> Result<Type, TypeError> {
        match variable {
            Variable::Local(local) => Ok(Type::of_descriptor(&local.descriptor)),
            Variable::Field { field, .. } | Variable::Static { field, .. } => {
                Ok(Type::of_descriptor(&field.descriptor))
            }
            Variable::NoInstance(field) => wrong(
                name,
                format!("is a field of {} objects, and no such object is available here", field.class),
            ),
        }
    }

    fn field(&self, node: &Node, owner: &Node, name: &str) -> Result<Type, TypeError> {
        let Some(parts) = node.dotted() else {
            let of = self.type_of(owner)?;
            return self.select(&owner.to_string(), &of, name);
        };
        match self.head(&parts)? {
            None => Ok(Type::Unknown),
            Some((Head::Variable(variable), used)) => {
                let first = parts.first().copied().unwrap_or_default();
                let start = self.variable_type(first, variable)?;
                self.select_all(start, &parts, used)
            }
            Some((Head::Class(class), used)) => {
                let Some(part) = parts.get(used) else {
                    return wrong(node, format!("is the class {class}, not a value"));
                };
                let start = match self.static_field(&class, part)? {
                    Some(field) => Type::of_descriptor(&field.descriptor),
                    None => Type::Unknown,
                };
                self.select_all(start, &parts, used + 1)
            }
        }
    }

    fn select_all(&self, start: Type, parts: &[&str], from: usize) -> Result<Type, TypeError> {
        parts.iter().enumerate().skip(from).try_fold(start, |of, (at, part)| {
            self.select(&parts.get(..at).unwrap_or_default().join("."), &of, part)
        })
    }

    /// The static field of a class; `None` if class files do not determine it.
    pub(super) fn static_field(
        &self,
        class: &str,
        name: &str,
    ) -> Result<Option<FieldDeclaration>, TypeError> {
        let text = format!("{class}.{name}");
        match self.names.field(class, name) {
            Lookup::Found(field) if field.is_static => Ok(Some(field)),
            Lookup::Found(_) => wrong(text, format!("`{name}` is not static; it needs an object")),
            Lookup::Unknown => Ok(None),
            Lookup::Missing => {
                let names = self.names.field_names(class);
                let hint = nearest(name, names.iter().map(String::as_str));
                wrong(text, format!("{class} has no field `{name}`{hint}"))
            }
        }
    }

    /// The field of a value of this type; `None` if class files do not determine it.
    pub(super) fn member(
        &self,
        owner: &str,
        of: &Type,
        name: &str,
    ) -> Result<Option<FieldDeclaration>, TypeError> {
        let text = format!("{owner}.{name}");
        match of {
            Type::Unknown => Ok(None),
            Type::Class(class) => match self.names.field(class, name) {
                Lookup::Found(field) => Ok(Some(field)),
                Lookup::Unknown => Ok(None),
                Lookup::Missing if self.names.is_open(class) => Ok(None),
                Lookup::Missing => {
                    let names = self.names.field_names(class);
                    let hint = nearest(name, names.iter().map(String::as_str));
                    let cast = if hint.is_empty() { "; cast it if it is of a subclass" } else { "" };
                    wrong(text, format!("{class} has no field `{name}`{hint}{cast}"))
                }
            },
            Type::Array(_) => wrong(text, format!("{of} has no field but `length`")),
            Type::Primitive(_) | Type::Null | Type::Void => wrong(text, format!("{of} has no fields")),
        }
    }

    fn select(&self, owner: &str, of: &Type, name: &str) -> Result<Type, TypeError> {
        if matches!(of, Type::Array(_)) && name == "length" {
            return Ok(Type::INT);
        }
        let field = self.member(owner, of, name)?;
        Ok(field.map_or(Type::Unknown, |f| Type::of_descriptor(&f.descriptor)))
    }

    /// The type of the expression before a dot; unknown if it names a class or a package.
    pub(super) fn owner_type(&self, owner: &Node) -> Result<Type, TypeError> {
        match owner.dotted() {
            Some(parts) => match self.head(&parts) {
                Ok(Some((Head::Class(_), used))) if used == parts.len() => Ok(Type::Unknown),
                Ok(_) => self.type_of(owner),
                // A single name before a dot may be an unknown class.
                Err(_) => Ok(Type::Unknown),
            },
            None => self.type_of(owner),
        }
    }

    fn element(&self, array: &Node, index: &Node) -> Result<Type, TypeError> {
        let of = self.type_of(array)?;
        let at = self.type_of(index)?;
        let is_index = at == Type::Unknown
            || at == Type::class("java.lang.Object")
            || at.unboxed().is_some_and(|p| p.promoted() == Primitive::Int);
        if !is_index {
            return wrong(index, format!("is {at} where an int index is needed"));
        }
        match of {
            Type::Array(element) => Ok(*element),
            Type::Unknown => Ok(Type::Unknown),
            // A value of type Object can be an array.
            Type::Class(name) if &*name == "java.lang.Object" => Ok(Type::Unknown),
            Type::Class(name) => {
                let (line, _) = self.names.lineage(&name);
                let hint = get_hint(line.iter().map(|file| &*file.name), array, index);
                wrong(array, format!("{name} is not an array{hint}"))
            }
            other => wrong(array, format!("{other} is not an array")),
        }
    }

    /// The type with this name; unknown if its class is unknown.
    pub(super) fn written(&self, name: &TypeName) -> Result<Type, TypeError> {
        Ok(match &name.element {
            ElementName::Primitive(p) => name.with_element(Type::Primitive(*p)),
            ElementName::Class(class) => match self.names.class_named(class)? {
                Some(class) => name.with_element(Type::class(&class)),
                None => Type::Unknown,
            },
        })
    }

    fn unary(&self, node: &Node, operator: UnaryOperator, operand: &Node) -> Result<Type, TypeError> {
        let of = self.type_of(operand)?;
        let Some(kind) = operand_kind(&of) else {
            return if may_unbox(&of) { Ok(Type::Unknown) } else { cannot(node, operator, &[&of]) };
        };
        let fits = match operator {
            UnaryOperator::Not => kind == Primitive::Boolean,
            UnaryOperator::Complement => kind.is_integral(),
            UnaryOperator::Negate | UnaryOperator::Plus => kind.is_numeric(),
        };
        if fits { Ok(Type::Primitive(kind.promoted())) } else { cannot(node, operator, &[&of]) }
    }

    fn binary(
        &self,
        node: &Node,
        operator: BinaryOperator,
        left: &Node,
        right: &Node,
    ) -> Result<Type, TypeError> {
        use BinaryOperator as Op;
        if matches!(operator, Op::And | Op::Or) {
            self.condition(left)?;
            self.condition(right)?;
            return Ok(Type::BOOLEAN);
        }
        let (a, b) = (self.type_of(left)?, self.type_of(right)?);
        if a == Type::Void || b == Type::Void {
            return cannot(node, operator, &[&a, &b]);
        }
        if operator == Op::Add && (a.is_string() || b.is_string()) {
            return Ok(Type::string());
        }
        let equality = matches!(operator, Op::Equal | Op::NotEqual);
        let comparison = equality || operator.level() == Op::Less.level();
        let both_references = |t: &Type| !matches!(t, Type::Primitive(_));
        if equality && both_references(&a) && both_references(&b) {
            return Ok(Type::BOOLEAN);
        }
        let (Some(p), Some(q)) = (operand_kind(&a), operand_kind(&b)) else {
            let open = |t: &Type| operand_kind(t).is_some() || may_unbox(t);
            if !open(&a) || !open(&b) {
                return cannot(node, operator, &[&a, &b]);
            }
            return Ok(if comparison { Type::BOOLEAN } else { Type::Unknown });
        };
        let logical = p == Primitive::Boolean && q == Primitive::Boolean;
        let numeric = p.is_numeric() && q.is_numeric();
        let integral = p.is_integral() && q.is_integral();
        let result = match operator {
            Op::Equal | Op::NotEqual if logical || numeric => Primitive::Boolean,
            Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual if numeric => Primitive::Boolean,
            Op::BitAnd | Op::BitOr | Op::BitXor if logical => Primitive::Boolean,
            Op::BitAnd | Op::BitOr | Op::BitXor if integral => p.promoted_with(q),
            Op::ShiftLeft | Op::ShiftRight | Op::UnsignedShiftRight if integral => p.promoted(),
            Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder if numeric => {
                p.promoted_with(q)
            }
            _ => return cannot(node, operator, &[&a, &b]),
        };
        Ok(Type::Primitive(result))
    }

    fn cast(&self, node: &Node, to: &TypeName, operand: &Node) -> Result<Type, TypeError> {
        let from = self.type_of(operand)?;
        let to = self.written(to)?;
        let fits = match (&from, &to) {
            (Type::Void, _) => false,
            (Type::Unknown, _) | (_, Type::Unknown) => true,
            (Type::Primitive(a), Type::Primitive(b)) => a.is_numeric() == b.is_numeric(),
            (Type::Primitive(a), Type::Class(b)) => boxes_to(*a, b),
            (Type::Class(a), Type::Primitive(b)) => match Primitive::from_box(a) {
                Some(a) => a.widens_to(*b),
                None => may_unbox(&from),
            },
            (Type::Array(_) | Type::Null, Type::Primitive(_)) | (Type::Primitive(_), _) => false,
            _ => true,
        };
        if fits { Ok(to) } else { wrong(node, format!("{from} cannot be cast to {to}")) }
    }
}

/// The primitive type of an operand after unboxing.
fn operand_kind(of: &Type) -> Option<Primitive> {
    of.unboxed()
}

/// Whether a value of this type can be a boxed primitive at run time.
pub(super) fn may_unbox(of: &Type) -> bool {
    match of {
        Type::Unknown => true,
        Type::Class(name) => {
            Primitive::from_box(name).is_some()
                || matches!(
                    &**name,
                    "java.lang.Object"
                        | "java.lang.Number"
                        | "java.lang.Comparable"
                        | "java.io.Serializable"
                        | "java.lang.constant.Constable"
                )
        }
        _ => false,
    }
}

fn cannot<T>(node: &Node, operator: impl std::fmt::Display, of: &[&Type]) -> Result<T, TypeError> {
    let kinds = of.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(" and ");
    wrong(node, format!("`{operator}` cannot be applied to {kinds}"))
}
