//! The tree of an expression, and its text in Java syntax. Independent of classes and values.

use super::types::{Primitive, Type};
use std::fmt;

/// One node of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A literal.
    Literal(Literal),
    /// A simple name: a local, a field, or the first part of a class name (resolved later, JLS §6.5).
    Name(String),
    /// `this`
    This,
    /// `super`, only as the owner of a field or a call.
    Super,
    /// `Outer.this`: the dotted name of the class.
    OuterThis(String),
    /// The `java.lang.Class` object of the class with this binary name, as the frame's class sees it. It
    /// cannot be written.
    ClassObject(String),
    /// A part of the event, such as `.old`.
    Event(EventPart),
    /// `owner.name`: a field, the length of an array, or a further part of a class name.
    Field {
        /// The expression before the dot.
        owner: Box<Node>,
        /// The name after the dot.
        name: String,
    },
    /// `array[index]`
    Index {
        /// The array.
        array: Box<Node>,
        /// The index.
        index: Box<Node>,
    },
    /// `map{key}`: the value for a key. It can be watched for changes, and is read by `get`.
    Mapped {
        /// The map.
        map: Box<Node>,
        /// The key.
        key: Box<Node>,
    },
    /// A method call.
    Call {
        /// The expression before the dot; `None` for `name(…)`.
        owner: Option<Box<Node>>,
        /// Name of the method.
        name: String,
        /// The arguments in order.
        arguments: Vec<Node>,
    },
    /// `-x`, `+x`, `!x`, `~x`
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: Box<Node>,
    },
    /// `a + b` and similar.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// Left operand.
        left: Box<Node>,
        /// Right operand.
        right: Box<Node>,
    },
    /// `(type) operand`
    Cast {
        /// The type, as written.
        to: TypeName,
        /// The operand.
        operand: Box<Node>,
    },
    /// `operand instanceof type`
    InstanceOf {
        /// The operand.
        operand: Box<Node>,
        /// The type, as written.
        class: TypeName,
    },
    /// `condition ? yes : no`
    Conditional {
        /// The condition.
        condition: Box<Node>,
        /// The value if the condition is true.
        yes: Box<Node>,
        /// The value if it is false.
        no: Box<Node>,
    },
}

/// A literal (JLS §3.10).
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true`, `false`
    Boolean(bool),
    /// `'c'`: one UTF-16 code unit.
    Char(u16),
    /// `12`
    Int(i32),
    /// `12L`
    Long(i64),
    /// `1.5f`
    Float(f32),
    /// `1.5`
    Double(f64),
    /// `"text"`
    Text(String),
}

/// A part of an event, written with a leading dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventPart {
    /// `.owner`: the object whose field is written or read.
    Owner,
    /// `.old`: the value before a write.
    Old,
    /// `.new`: the value after a write.
    New,
    /// `.exception`: the exception thrown.
    Exception,
    /// `.result`: the value that the method returns.
    Result,
    /// `.index`: the index of the array element.
    Index,
}

impl EventPart {
    /// All parts, in the order of the documentation.
    pub const ALL: [EventPart; 6] = [
        EventPart::Owner,
        EventPart::Old,
        EventPart::New,
        EventPart::Exception,
        EventPart::Result,
        EventPart::Index,
    ];

    /// The word after the dot.
    pub fn word(self) -> &'static str {
        match self {
            EventPart::Owner => "owner",
            EventPart::Old => "old",
            EventPart::New => "new",
            EventPart::Exception => "exception",
            EventPart::Result => "result",
            EventPart::Index => "index",
        }
    }
}

impl fmt::Display for EventPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.word())
    }
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
}

impl fmt::Display for UnaryOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnaryOperator::Negate => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::Not => "!",
            UnaryOperator::Complement => "~",
        })
    }
}

macro_rules! binary_operators {
    ($($name:ident $text:literal $level:literal),* $(,)?) => {
        /// A binary operator, in ascending order of precedence.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BinaryOperator {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl BinaryOperator {
            /// The operator as written.
            pub fn symbol(self) -> &'static str {
                match self { $(BinaryOperator::$name => $text,)* }
            }

            /// The precedence (JLS §15); 1 is the lowest.
            pub(super) fn level(self) -> u8 {
                match self { $(BinaryOperator::$name => $level,)* }
            }
        }
    };
}

binary_operators! {
    Or "||" 1, And "&&" 2, BitOr "|" 3, BitXor "^" 4, BitAnd "&" 5, Equal "==" 6, NotEqual "!=" 6,
    Less "<" 7, LessEqual "<=" 7, Greater ">" 7, GreaterEqual ">=" 7,
    ShiftLeft "<<" 8, ShiftRight ">>" 8, UnsignedShiftRight ">>>" 8,
    Add "+" 9, Subtract "-" 9, Multiply "*" 10, Divide "/" 10, Remainder "%" 10,
}

impl fmt::Display for BinaryOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// A type as written in a cast or after `instanceof`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The element type.
    pub element: ElementName,
    /// The number of `[]` after it.
    pub dimensions: usize,
}

/// The element type of a [`TypeName`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ElementName {
    /// A primitive type.
    Primitive(Primitive),
    /// A class by its dotted name, simple or qualified.
    Class(String),
}

impl TypeName {
    /// The primitive type, if it is one.
    pub fn primitive(&self) -> Option<Primitive> {
        match (&self.element, self.dimensions) {
            (ElementName::Primitive(p), 0) => Some(*p),
            _ => None,
        }
    }

    /// The type, given that of its element.
    pub(super) fn with_element(&self, element: Type) -> Type {
        (0..self.dimensions).fold(element, |t, _| Type::Array(Box::new(t)))
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.element {
            ElementName::Primitive(p) => write!(f, "{p}")?,
            ElementName::Class(name) => f.write_str(name)?,
        }
        (0..self.dimensions).try_for_each(|_| f.write_str("[]"))
    }
}

impl Node {
    /// The child nodes, in source order.
    pub fn children(&self) -> Vec<&Node> {
        match self {
            Node::Literal(_)
            | Node::Name(_)
            | Node::This
            | Node::Super
            | Node::OuterThis(_)
            | Node::ClassObject(_)
            | Node::Event(_) => Vec::new(),
            Node::Field { owner, .. } => vec![owner],
            Node::Index { array, index } => vec![array, index],
            Node::Mapped { map, key } => vec![map, key],
            Node::Call { owner, arguments, .. } => owner.iter().map(|o| &**o).chain(arguments).collect(),
            Node::Unary { operand, .. } | Node::Cast { operand, .. } | Node::InstanceOf { operand, .. } => {
                vec![operand]
            }
            Node::Binary { left, right, .. } => vec![left, right],
            Node::Conditional { condition, yes, no } => vec![condition, yes, no],
        }
    }

    /// The height of the tree: 1 for a leaf.
    pub(super) fn height(&self) -> usize {
        1 + self.children().into_iter().map(Node::height).max().unwrap_or(0)
    }

    /// Whether this node or a descendant satisfies `test`.
    pub(super) fn any(&self, test: &dyn Fn(&Node) -> bool) -> bool {
        test(self) || self.children().into_iter().any(|c| c.any(test))
    }

    /// For `old(x)`, the operand `x`. `old` gives a value at the beginning of a call.
    pub fn old(&self) -> Option<&Node> {
        match self {
            Node::Call { owner: None, name, arguments } if name == "old" => match arguments.as_slice() {
                [operand] => Some(operand),
                _ => None,
            },
            _ => None,
        }
    }

    /// This node and all its descendants.
    pub fn all(&self) -> Vec<&Node> {
        let below = self.children().into_iter().flat_map(Node::all);
        std::iter::once(self).chain(below).collect()
    }

    /// The parts of `a.b.c`, if the node consists only of names and dots.
    pub(super) fn dotted(&self) -> Option<Vec<&str>> {
        match self {
            Node::Name(name) => Some(vec![name]),
            Node::Field { owner, name } => {
                let mut parts = owner.dotted()?;
                parts.push(name);
                Some(parts)
            }
            _ => None,
        }
    }

    /// The precedence of the node: operators 1 to 10 as in [`BinaryOperator::level`], unary 11, others 12.
    fn level(&self) -> u8 {
        match self {
            Node::Conditional { .. } => 0,
            Node::Binary { operator, .. } => operator.level(),
            Node::InstanceOf { .. } => 7,
            Node::Unary { .. } | Node::Cast { .. } => 11,
            Node::Literal(literal) if literal.is_negative() => 11,
            _ => 12,
        }
    }

    fn write_at(&self, least: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.level() < least { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl Literal {
    fn is_negative(&self) -> bool {
        match self {
            Literal::Int(v) => *v < 0,
            Literal::Long(v) => *v < 0,
            Literal::Float(v) => v.is_sign_negative(),
            Literal::Double(v) => v.is_sign_negative(),
            _ => false,
        }
    }
}

impl fmt::Display for Node {
    /// Writes Java source that parses to an equal tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Node::Literal(literal) => write!(f, "{literal}"),
            Node::Name(name) => f.write_str(name),
            Node::This => f.write_str("this"),
            Node::Super => f.write_str("super"),
            Node::OuterThis(class) => write!(f, "{class}.this"),
            Node::ClassObject(class) => write!(f, "{class}.class"),
            Node::Event(part) => write!(f, "{part}"),
            Node::Field { owner, name } => {
                owner.write_at(12, f)?;
                write!(f, ".{name}")
            }
            Node::Index { array, index } => {
                array.write_at(12, f)?;
                write!(f, "[{index}]")
            }
            Node::Mapped { map, key } => {
                map.write_at(12, f)?;
                write!(f, "{{{key}}}")
            }
            Node::Call { owner, name, arguments } => {
                if let Some(owner) = owner {
                    owner.write_at(12, f)?;
                    f.write_str(".")?;
                }
                write!(f, "{name}(")?;
                for (i, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
            Node::Unary { operator, operand } => {
                write!(f, "{operator}")?;
                // `- -x` must not become `--x`, so unary operands are put in parentheses.
                operand.write_at(12, f)
            }
            Node::Binary { operator, left, right } => {
                left.write_at(operator.level(), f)?;
                write!(f, " {operator} ")?;
                right.write_at(operator.level() + 1, f)
            }
            Node::Cast { to, operand } => {
                write!(f, "({to}) ")?;
                match **operand {
                    Node::Event(_) => write!(f, "({operand})"),
                    _ => operand.write_at(12, f),
                }
            }
            Node::InstanceOf { operand, class } => {
                operand.write_at(7, f)?;
                write!(f, " instanceof {class}")
            }
            Node::Conditional { condition, yes, no } => {
                condition.write_at(1, f)?;
                write!(f, " ? {yes} : {no}")
            }
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("null"),
            Literal::Boolean(v) => write!(f, "{v}"),
            Literal::Char(unit) => write_quoted(f, '\'', &[*unit]),
            Literal::Int(v) => write!(f, "{v}"),
            Literal::Long(v) => write!(f, "{v}L"),
            Literal::Float(v) => write!(f, "{v:?}f"),
            Literal::Double(v) => write!(f, "{v:?}"),
            Literal::Text(text) => write_quoted(f, '"', &text.encode_utf16().collect::<Vec<_>>()),
        }
    }
}

fn write_quoted(f: &mut fmt::Formatter<'_>, quote: char, units: &[u16]) -> fmt::Result {
    write!(f, "{quote}")?;
    for decoded in char::decode_utf16(units.iter().copied()) {
        match decoded {
            Ok('\n') => f.write_str("\\n")?,
            Ok('\r') => f.write_str("\\r")?,
            Ok('\t') => f.write_str("\\t")?,
            Ok(c) if c == quote || c == '\\' => write!(f, "\\{c}")?,
            Ok(c) if c.is_control() => write!(f, "\\u{:04x}", c as u32)?,
            Ok(c) => write!(f, "{c}")?,
            Err(lone) => write!(f, "\\u{:04x}", lone.unpaired_surrogate())?,
        }
    }
    write!(f, "{quote}")
}
