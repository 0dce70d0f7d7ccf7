//! Expressions rebuilt from bytecode, as trees. `render` converts them to text; `simulate` builds them.

use crate::descriptor::{descriptor_of, parse_method};
use crate::member::MethodRef;
use crate::op::{BinaryOp, Constant};

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-x`
    Negate,
    /// `!x`
    Not,
}

/// An expression as the source may have written it.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "fields repeat the variant's words")]
pub enum ExprNode {
    /// A local variable. It has no name if the class file does not name it (no `-g`, or a compiler-generated
    /// temporary).
    Local { slot: u16, name: Option<String>, descriptor: Option<String> },
    /// `this`.
    This,
    /// An instance field.
    Field { owner: Box<ExprNode>, class: String, name: String, descriptor: String },
    /// A static field.
    Static { class: String, name: String, descriptor: String },
    /// A constant.
    Const(Constant),
    /// `true` or `false`: an int constant where a boolean is expected.
    Bool(bool),
    /// A character: an int constant where a `char` is expected.
    Char(char),
    /// A binary operation.
    Binary { op: BinaryOp, left: Box<ExprNode>, right: Box<ExprNode> },
    /// A unary operation.
    Unary { op: UnaryOp, operand: Box<ExprNode> },
    /// A call; without a receiver if static. `special` marks calls by `invokespecial`: `super.m(…)` and
    /// private methods.
    Call { receiver: Option<Box<ExprNode>>, method: MethodRef, arguments: Vec<ExprNode>, special: bool },
    /// A new object.
    New { class: String, arguments: Vec<ExprNode> },
    /// A new array of the Java type `ty` (the array type itself), with its sizes or the elements of its
    /// initialiser.
    NewArray { ty: String, sizes: Vec<ExprNode>, elements: Vec<ExprNode> },
    /// `array[index]`
    ArrayLoad { array: Box<ExprNode>, index: Box<ExprNode> },
    /// `array.length`
    ArrayLength(Box<ExprNode>),
    /// A cast to a Java type.
    Cast { ty: String, operand: Box<ExprNode> },
    /// `operand instanceof ty`
    InstanceOf { operand: Box<ExprNode>, ty: String },
    /// String concatenation.
    Concat(Vec<ExprNode>),
    /// A lambda or method reference with the values it captures.
    Lambda { implementation: MethodRef, captured: Vec<ExprNode>, parameters: usize },
    /// Any other `invokedynamic`.
    Dynamic { name: String, descriptor: String, arguments: Vec<ExprNode> },
    /// `condition ? then : otherwise`
    Conditional { condition: Box<ExprNode>, then: Box<ExprNode>, otherwise: Box<ExprNode> },
    /// A `switch` expression; its arms are not represented.
    Switch { selector: Box<ExprNode> },
    /// An assignment used as an expression; its value is the new value.
    Assign { target: Box<ExprNode>, value: Box<ExprNode> },
    /// `x++` and similar, used as an expression; its value is the old value.
    PostIncrement { target: Box<ExprNode>, by: i32 },
    /// The exception at the start of a handler.
    Caught,
    /// An expression that cannot be rebuilt or would be too long to read.
    Unknown,
}

impl ExprNode {
    pub(crate) fn binary(op: BinaryOp, left: ExprNode, right: ExprNode) -> ExprNode {
        ExprNode::Binary { op, left: Box::new(left), right: Box::new(right) }
    }

    /// The field descriptor of the expression's static type, if the class file determines it.
    pub fn descriptor(&self) -> Option<String> {
        Some(match self {
            ExprNode::Local { descriptor, .. } => return descriptor.clone(),
            ExprNode::Field { descriptor, .. } | ExprNode::Static { descriptor, .. } => descriptor.clone(),
            ExprNode::Bool(_) | ExprNode::InstanceOf { .. } => "Z".to_owned(),
            ExprNode::Char(_) => "C".to_owned(),
            ExprNode::Const(constant) => match constant {
                Constant::Int(_) => "I".to_owned(),
                Constant::Long(_) => "J".to_owned(),
                Constant::Float(_) => "F".to_owned(),
                Constant::Double(_) => "D".to_owned(),
                Constant::String(_) => "Ljava/lang/String;".to_owned(),
                Constant::Class(_) => "Ljava/lang/Class;".to_owned(),
                Constant::Dynamic { descriptor, .. } => descriptor.clone(),
                _ => return None,
            },
            ExprNode::Binary { op, left, right } => match op {
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Ge
                | BinaryOp::Gt
                | BinaryOp::Le
                | BinaryOp::AndAnd
                | BinaryOp::OrOr => "Z".to_owned(),
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if left.is_boolean() || right.is_boolean() => {
                    "Z".to_owned()
                }
                _ => {
                    let ty = left.descriptor()?;
                    if matches!(ty.as_str(), "B" | "C" | "S") { "I".to_owned() } else { ty }
                }
            },
            ExprNode::Unary { op: UnaryOp::Not, .. } => "Z".to_owned(),
            ExprNode::Unary { operand, .. } => return operand.descriptor(),
            ExprNode::Call { method, .. } => parse_method(&method.descriptor)?.result,
            ExprNode::Dynamic { descriptor, .. } => parse_method(descriptor)?.result,
            ExprNode::New { class, .. } => descriptor_of(class),
            ExprNode::NewArray { ty, .. } | ExprNode::Cast { ty, .. } => descriptor_of(ty),
            ExprNode::ArrayLoad { array, .. } => array.descriptor()?.strip_prefix('[')?.to_owned(),
            ExprNode::ArrayLength(_) => "I".to_owned(),
            ExprNode::Concat(_) => "Ljava/lang/String;".to_owned(),
            ExprNode::Conditional { then, otherwise, .. } => {
                return then.descriptor().or_else(|| otherwise.descriptor());
            }
            ExprNode::Assign { target, .. } | ExprNode::PostIncrement { target, .. } => {
                return target.descriptor();
            }
            ExprNode::This
            | ExprNode::Lambda { .. }
            | ExprNode::Switch { .. }
            | ExprNode::Caught
            | ExprNode::Unknown => return None,
        })
    }

    /// Whether the expression is known to be a `boolean`.
    pub fn is_boolean(&self) -> bool {
        self.descriptor().as_deref() == Some("Z")
    }

    /// The negation of the expression, simplified as in handwritten code.
    pub fn negated(self) -> ExprNode {
        match self {
            ExprNode::Unary { op: UnaryOp::Not, operand } => *operand,
            ExprNode::Bool(value) => ExprNode::Bool(!value),
            ExprNode::Binary { op, left, right } => {
                let flipped = match op {
                    BinaryOp::Eq => BinaryOp::Ne,
                    BinaryOp::Ne => BinaryOp::Eq,
                    BinaryOp::Lt => BinaryOp::Ge,
                    BinaryOp::Ge => BinaryOp::Lt,
                    BinaryOp::Gt => BinaryOp::Le,
                    BinaryOp::Le => BinaryOp::Gt,
                    BinaryOp::AndAnd => {
                        return ExprNode::binary(BinaryOp::OrOr, left.negated(), right.negated());
                    }
                    BinaryOp::OrOr => {
                        return ExprNode::binary(BinaryOp::AndAnd, left.negated(), right.negated());
                    }
                    _ => {
                        let inner = ExprNode::Binary { op, left, right };
                        return ExprNode::Unary { op: UnaryOp::Not, operand: Box::new(inner) };
                    }
                };
                ExprNode::Binary { op: flipped, left, right }
            }
            other => ExprNode::Unary { op: UnaryOp::Not, operand: Box::new(other) },
        }
    }

    /// The expression where a value of this type is expected: an int constant becomes `true` or `'c'`, and a
    /// condition used as a number becomes `c ? 1 : 0`.
    pub(crate) fn coerced(self, descriptor: &str) -> ExprNode {
        match (self, descriptor) {
            (ExprNode::Const(Constant::Int(value @ 0..=1)), "Z") => ExprNode::Bool(value == 1),
            (ExprNode::Const(Constant::Int(value)), "C") => {
                match u32::try_from(value).ok().and_then(char::from_u32) {
                    Some(c) => ExprNode::Char(c),
                    None => ExprNode::Const(Constant::Int(value)),
                }
            }
            (ExprNode::Conditional { condition, then, otherwise }, _) => ExprNode::Conditional {
                condition,
                then: Box::new(then.coerced(descriptor)),
                otherwise: Box::new(otherwise.coerced(descriptor)),
            },
            (node @ (ExprNode::Binary { .. } | ExprNode::Unary { .. }), "I" | "B" | "S" | "J")
                if node.is_boolean() && node.is_condition() =>
            {
                ExprNode::Conditional {
                    condition: Box::new(node),
                    then: Box::new(ExprNode::Const(Constant::Int(1))),
                    otherwise: Box::new(ExprNode::Const(Constant::Int(0))),
                }
            }
            (node, _) => node,
        }
    }

    fn is_condition(&self) -> bool {
        use BinaryOp::{AndAnd, Eq, Ge, Gt, Le, Lt, Ne, OrOr};
        matches!(
            self,
            ExprNode::Binary { op: AndAnd | OrOr | Eq | Ne | Lt | Ge | Gt | Le, .. }
                | ExprNode::Unary { op: UnaryOp::Not, .. }
        )
    }

    /// The direct sub-expressions.
    pub fn children(&self) -> Vec<&ExprNode> {
        match self {
            ExprNode::Field { owner, .. } => vec![owner],
            ExprNode::Binary { left, right, .. } => vec![left, right],
            ExprNode::Unary { operand, .. }
            | ExprNode::Cast { operand, .. }
            | ExprNode::InstanceOf { operand, .. }
            | ExprNode::Switch { selector: operand }
            | ExprNode::ArrayLength(operand) => vec![operand],
            ExprNode::Call { receiver, arguments, .. } => {
                receiver.iter().map(|r| &**r).chain(arguments).collect()
            }
            ExprNode::New { arguments, .. }
            | ExprNode::Dynamic { arguments, .. }
            | ExprNode::Lambda { captured: arguments, .. }
            | ExprNode::Concat(arguments) => arguments.iter().collect(),
            ExprNode::NewArray { sizes, elements, .. } => sizes.iter().chain(elements).collect(),
            ExprNode::ArrayLoad { array, index } => vec![array, index],
            ExprNode::Conditional { condition, then, otherwise } => vec![condition, then, otherwise],
            ExprNode::Assign { target, value } => vec![target, value],
            ExprNode::PostIncrement { target, .. } => vec![target],
            _ => Vec::new(),
        }
    }

    /// Whether the expression or any part of it satisfies the test.
    pub fn any(&self, test: &dyn Fn(&ExprNode) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|child| child.any(test))
    }

    /// The number of nodes.
    pub(crate) fn size(&self) -> usize {
        1 + self.children().into_iter().map(ExprNode::size).sum::<usize>()
    }
}

/// An expression that can be evaluated in the frame before an instruction executes, and gives exactly the
/// value that the instruction uses. It contains only locals, `this`, fields, array elements and lengths,
/// constants, operators, casts and `instanceof`. Nothing between its loads and the instruction can have
/// changed them.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadBack {
    /// The expression.
    pub node: ExprNode,
}
