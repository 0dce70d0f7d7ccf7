//! Renders expressions as Java-like text. Considers the surrounding class and locals, to omit `this.` and the
//! class name where the source can.

use super::node::{ExprNode, UnaryOp};
use crate::descriptor::{short_name, short_type};
use crate::op::{BinaryOp, Constant};
use std::fmt;

/// The surroundings of an expression.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// Binary name of the enclosing class; empty if unknown.
    pub(crate) class: String,
    /// Names of the locals in scope, which hide fields.
    pub(crate) locals: Vec<String>,
    /// The fields of that class that the source declares with a `$` in their names.
    pub(crate) dollars: Vec<String>,
    /// Whether classes have their full names.
    pub(crate) is_qualified: bool,
}

/// The precedence of Java's operators, from 0 (weakest).
fn precedence(node: &ExprNode) -> u8 {
    match node {
        ExprNode::Assign { .. } | ExprNode::Lambda { .. } => 0,
        ExprNode::Conditional { .. } => 1,
        ExprNode::Binary { op: BinaryOp::Xor, right, .. }
            if matches!(**right, ExprNode::Const(Constant::Int(-1) | Constant::Long(-1))) =>
        {
            13
        }
        ExprNode::Binary { op, .. } => operator(*op).1,
        ExprNode::InstanceOf { .. } => 9,
        ExprNode::Concat(parts) if parts.len() > 1 => 11,
        ExprNode::Unary { .. } => 13,
        ExprNode::Cast { operand, .. } if !is_implicit(operand) => 13,
        ExprNode::PostIncrement { .. } => 14,
        _ => 15,
    }
}

fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::OrOr => ("||", 3),
        BinaryOp::AndAnd => ("&&", 4),
        BinaryOp::Or => ("|", 5),
        BinaryOp::Xor => ("^", 6),
        BinaryOp::And => ("&", 7),
        BinaryOp::Eq => ("==", 8),
        BinaryOp::Ne => ("!=", 8),
        BinaryOp::Lt => ("<", 9),
        BinaryOp::Ge => (">=", 9),
        BinaryOp::Gt => (">", 9),
        BinaryOp::Le => ("<=", 9),
        BinaryOp::Compare => ("<=>", 9),
        BinaryOp::Shl => ("<<", 10),
        BinaryOp::Shr => (">>", 10),
        BinaryOp::Ushr => (">>>", 10),
        BinaryOp::Add => ("+", 11),
        BinaryOp::Sub => ("-", 11),
        BinaryOp::Mul => ("*", 12),
        BinaryOp::Div => ("/", 12),
        BinaryOp::Rem => ("%", 12),
    }
}

/// Whether a cast is omitted: the cast of a call's result is usually added by the compiler for a generic
/// method and absent from the source.
fn is_implicit(operand: &ExprNode) -> bool {
    matches!(operand, ExprNode::Call { .. })
}

/// The operand of a boxing or unboxing call, which the source usually leaves to the compiler.
fn unboxed<'a>(
    class: &str,
    name: &str,
    receiver: Option<&'a ExprNode>,
    arguments: &'a [ExprNode],
) -> Option<&'a ExprNode> {
    let boxes = [
        ("java.lang.Integer", "intValue"),
        ("java.lang.Long", "longValue"),
        ("java.lang.Double", "doubleValue"),
        ("java.lang.Float", "floatValue"),
        ("java.lang.Boolean", "booleanValue"),
        ("java.lang.Character", "charValue"),
        ("java.lang.Byte", "byteValue"),
        ("java.lang.Short", "shortValue"),
    ];
    let (_, unbox) = boxes.iter().find(|(boxed, _)| *boxed == class)?;
    match (receiver, arguments) {
        (None, [value]) if name == "valueOf" && value.descriptor().is_none_or(|d| d.len() == 1) => {
            Some(value)
        }
        (Some(receiver), []) if name == *unbox => Some(receiver),
        _ => None,
    }
}

fn string_literal(text: &str) -> String {
    let mut out = String::from("\"");
    for (count, c) in text.chars().enumerate() {
        if count == 80 {
            out.push('…');
            break;
        }
        escape(&mut out, c, '"');
    }
    out.push('"');
    out
}

fn escape(out: &mut String, c: char, quote: char) {
    match c {
        '\n' => out.push_str("\\n"),
        '\t' => out.push_str("\\t"),
        '\r' => out.push_str("\\r"),
        '\\' => out.push_str("\\\\"),
        c if c == quote => {
            out.push('\\');
            out.push(c);
        }
        c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
        c => out.push(c),
    }
}

/// A floating-point constant as Java prints it, always with a point or exponent.
fn decimal(text: String) -> String {
    match text.as_str() {
        "NaN" => "NaN".to_owned(),
        "inf" => "Infinity".to_owned(),
        "-inf" => "-Infinity".to_owned(),
        _ => text,
    }
}

fn constant(value: &Constant) -> String {
    match value {
        Constant::Null => "null".to_owned(),
        Constant::Int(v) => v.to_string(),
        Constant::Long(v) => format!("{v}L"),
        Constant::Float(v) => format!("{}f", decimal(format!("{v:?}"))),
        Constant::Double(v) => decimal(format!("{v:?}")),
        Constant::String(v) => string_literal(v),
        Constant::Class(v) => format!("{}.class", short_name(v)),
        Constant::MethodHandle(m) => format!("{}::{}", short_name(&m.class), m.name),
        Constant::MethodType(d) => d.clone(),
        Constant::Dynamic { name, .. } => name.clone(),
    }
}

impl Scope {
    fn class_name(&self, class: &str) -> String {
        if self.is_qualified { class.replace('/', ".") } else { short_name(class).into() }
    }

    /// The text, in parentheses if its precedence is lower than `at_least`.
    fn part(&self, node: &ExprNode, at_least: u8) -> String {
        let text = self.text(node);
        if precedence(node) < at_least { format!("({text})") } else { text }
    }

    fn list(&self, nodes: &[ExprNode]) -> String {
        nodes.iter().map(|n| self.text(n)).collect::<Vec<_>>().join(", ")
    }

    fn call(&self, node: &ExprNode) -> String {
        let ExprNode::Call { receiver, method, arguments, special } = node else { return String::new() };
        if let Some(inner) = unboxed(&method.class, &method.name, receiver.as_deref(), arguments) {
            return self.text(inner);
        }
        let arguments = self.list(arguments);
        if method.name == "<init>" {
            let word = if method.class == self.class { "this" } else { "super" };
            return format!("{word}({arguments})");
        }
        match receiver.as_deref() {
            None if method.class == self.class => format!("{}({arguments})", method.name),
            None => format!("{}.{}({arguments})", short_name(&method.class), method.name),
            Some(ExprNode::This) if *special && method.class != self.class && !self.class.is_empty() => {
                format!("super.{}({arguments})", method.name)
            }
            Some(ExprNode::This) => format!("{}({arguments})", method.name),
            Some(receiver) => format!("{}.{}({arguments})", self.part(receiver, 14), method.name),
        }
    }

    /// Whether the compiler added a field whose name begins so.
    fn is_added(&self, field: &str, begins: &str) -> bool {
        field.starts_with(begins) && !self.dollars.iter().any(|of_source| of_source == field)
    }

    /// The expression as source-like text.
    pub(crate) fn text(&self, node: &ExprNode) -> String {
        match node {
            ExprNode::Local { slot, name, .. } => name.clone().unwrap_or_else(|| format!("slot{slot}")),
            ExprNode::This => "this".to_owned(),
            // The fields of outer objects and captured variables do not appear in the source.
            ExprNode::Field { owner, name, descriptor, .. }
                if **owner == ExprNode::This && self.is_added(name, "this$") =>
            {
                format!("{}.this", short_type(descriptor))
            }
            ExprNode::Field { owner, name, .. }
                if **owner == ExprNode::This && self.is_added(name, "val$") =>
            {
                name.trim_start_matches("val$").to_owned()
            }
            ExprNode::Field { owner, name, .. } => match &**owner {
                ExprNode::This if !self.locals.contains(name) => name.clone(),
                ExprNode::Field { owner: inner, name: outer, .. }
                    if self.is_added(outer, "this$") && **inner == ExprNode::This =>
                {
                    name.clone()
                }
                owner => format!("{}.{name}", self.part(owner, 14)),
            },
            ExprNode::Static { class, name, .. } => {
                if *class == self.class && !self.locals.contains(name) {
                    name.clone()
                } else {
                    format!("{}.{name}", self.class_name(class))
                }
            }
            ExprNode::Const(value) => constant(value),
            ExprNode::Bool(value) => value.to_string(),
            ExprNode::Char(c) => {
                let mut out = String::from("'");
                escape(&mut out, *c, '\'');
                out.push('\'');
                out
            }
            ExprNode::Binary { op: BinaryOp::Xor, left, right }
                if matches!(**right, ExprNode::Const(Constant::Int(-1) | Constant::Long(-1))) =>
            {
                format!("~{}", self.part(left, 13))
            }
            ExprNode::Binary { op, left, right } => {
                let (sign, level) = operator(*op);
                format!("{} {sign} {}", self.part(left, level), self.part(right, level + 1))
            }
            ExprNode::Unary { op, operand } => match op {
                UnaryOp::Negate => format!("-{}", self.part(operand, 14)),
                UnaryOp::Not => format!("!{}", self.part(operand, 13)),
            },
            ExprNode::Call { .. } => self.call(node),
            ExprNode::New { class, arguments } => {
                format!("new {}({})", short_name(class), self.list(arguments))
            }
            ExprNode::NewArray { ty, sizes, elements } => self.new_array(ty, sizes, elements),
            ExprNode::ArrayLoad { array, index } => format!("{}[{}]", self.part(array, 14), self.text(index)),
            ExprNode::ArrayLength(array) => format!("{}.length", self.part(array, 14)),
            ExprNode::Cast { operand, .. } if is_implicit(operand) => self.text(operand),
            ExprNode::Cast { ty, operand } => format!("({}) {}", self.class_name(ty), self.part(operand, 13)),
            ExprNode::InstanceOf { operand, ty } => {
                format!("{} instanceof {}", self.part(operand, 9), short_name(ty))
            }
            ExprNode::Concat(parts) => {
                let parts: Vec<String> = parts.iter().map(|p| self.part(p, 12)).collect();
                parts.join(" + ")
            }
            ExprNode::Lambda { implementation, parameters, .. } => {
                if implementation.name.starts_with("lambda$") {
                    return match parameters {
                        0 => "() -> …".to_owned(),
                        1 => "_ -> …".to_owned(),
                        n => format!("({}) -> …", vec!["_"; *n].join(", ")),
                    };
                }
                let name = if implementation.name == "<init>" { "new" } else { &implementation.name };
                format!("{}::{name}", short_name(&implementation.class))
            }
            ExprNode::Dynamic { name, arguments, .. } => format!("{name}({})", self.list(arguments)),
            ExprNode::Conditional { condition, then, otherwise } => {
                format!("{} ? {} : {}", self.part(condition, 2), self.part(then, 1), self.part(otherwise, 1))
            }
            ExprNode::Switch { selector } => format!("switch ({}) {{…}}", self.text(selector)),
            ExprNode::Assign { target, value } => format!("{} = {}", self.text(target), self.text(value)),
            ExprNode::PostIncrement { target, by } => self.increment(target, *by),
            ExprNode::Caught => "exception".to_owned(),
            ExprNode::Unknown => "…".to_owned(),
        }
    }

    fn new_array(&self, ty: &str, sizes: &[ExprNode], elements: &[ExprNode]) -> String {
        let element = ty.trim_end_matches("[]");
        if !elements.is_empty() {
            return format!("new {}{}{{{}}}", short_name(element), &ty[element.len()..], self.list(elements));
        }
        let mut text = format!("new {}", short_name(element));
        for size in sizes {
            text.push_str(&format!("[{}]", self.text(size)));
        }
        let dimensions = (ty.len() - element.len()) / 2;
        text + &"[]".repeat(dimensions.saturating_sub(sizes.len()))
    }

    /// `target op= value` or `target++`; `None` if the value is not computed from the target.
    pub(crate) fn compound(&self, target: &ExprNode, value: &ExprNode) -> Option<String> {
        // `c += 1` on a small type casts the sum back.
        let value = match value {
            ExprNode::Cast { operand, .. } => operand,
            other => other,
        };
        if let ExprNode::Concat(parts) = value
            && let Some((first, rest)) = parts.split_first()
            && first == target
            && !rest.is_empty()
        {
            let rest = if let [only] = rest { only.clone() } else { ExprNode::Concat(rest.to_vec()) };
            return Some(format!("{} += {}", self.text(target), self.text(&rest)));
        }
        let ExprNode::Binary { op, left, right } = value else { return None };
        let (sign, level) = operator(*op);
        if **left != *target || !(10..=12).contains(&level) && !(5..=7).contains(&level) {
            return None;
        }
        let one = match &**right {
            ExprNode::Const(Constant::Int(1) | Constant::Long(1)) => true,
            ExprNode::Const(Constant::Float(v)) => *v == 1.0,
            ExprNode::Const(Constant::Double(v)) => *v == 1.0,
            _ => false,
        };
        let target = self.text(target);
        Some(match op {
            BinaryOp::Add if one => format!("{target}++"),
            BinaryOp::Sub if one => format!("{target}--"),
            _ => format!("{target} {sign}= {}", self.text(right)),
        })
    }

    /// An `iinc` as text: `i++`, `i -= 3`.
    pub(crate) fn increment(&self, target: &ExprNode, by: i32) -> String {
        let target = self.text(target);
        match by {
            1 => format!("{target}++"),
            -1 => format!("{target}--"),
            by if by < 0 => format!("{target} -= {}", i64::from(by).unsigned_abs()),
            by => format!("{target} += {by}"),
        }
    }
}

impl fmt::Display for ExprNode {
    /// Java-like text without a surrounding class: static members are qualified by the short name of their
    /// class.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Scope::default().text(self))
    }
}

impl fmt::Display for super::ReadBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// The Java name of the target type of a primitive conversion.
pub(crate) fn conversion_type(to: char) -> String {
    short_type(&to.to_string())
}
