//! Java types, their descriptors (JVMS §4.3.2) and the promotions of JLS §5.6.

use std::fmt;
use std::sync::Arc;

/// A primitive type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Primitive {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
}

/// The keyword, descriptor letter and box class of each primitive type.
const PRIMITIVES: [(Primitive, &str, char, &str); 8] = [
    (Primitive::Boolean, "boolean", 'Z', "java.lang.Boolean"),
    (Primitive::Byte, "byte", 'B', "java.lang.Byte"),
    (Primitive::Short, "short", 'S', "java.lang.Short"),
    (Primitive::Char, "char", 'C', "java.lang.Character"),
    (Primitive::Int, "int", 'I', "java.lang.Integer"),
    (Primitive::Long, "long", 'J', "java.lang.Long"),
    (Primitive::Float, "float", 'F', "java.lang.Float"),
    (Primitive::Double, "double", 'D', "java.lang.Double"),
];

impl Primitive {
    fn row(self) -> &'static (Primitive, &'static str, char, &'static str) {
        let at = match self {
            Primitive::Boolean => 0,
            Primitive::Byte => 1,
            Primitive::Short => 2,
            Primitive::Char => 3,
            Primitive::Int => 4,
            Primitive::Long => 5,
            Primitive::Float => 6,
            Primitive::Double => 7,
        };
        &PRIMITIVES[at]
    }

    /// The type with this keyword.
    pub fn from_keyword(word: &str) -> Option<Primitive> {
        PRIMITIVES.iter().find(|row| row.1 == word).map(|row| row.0)
    }

    /// The type with this descriptor letter.
    pub fn from_letter(letter: char) -> Option<Primitive> {
        PRIMITIVES.iter().find(|row| row.2 == letter).map(|row| row.0)
    }

    /// The type boxed by a class: `int` for `java.lang.Integer`.
    pub fn from_box(class: &str) -> Option<Primitive> {
        PRIMITIVES.iter().find(|row| row.3 == class).map(|row| row.0)
    }

    /// The letter of its descriptor.
    pub fn letter(self) -> char {
        self.row().2
    }

    /// Its box class.
    pub fn box_class(self) -> &'static str {
        self.row().3
    }

    /// Whether it is a numeric type: all but `boolean`.
    pub fn is_numeric(self) -> bool {
        self != Primitive::Boolean
    }

    /// Whether it is an integral type.
    pub fn is_integral(self) -> bool {
        matches!(
            self,
            Primitive::Byte | Primitive::Short | Primitive::Char | Primitive::Int | Primitive::Long
        )
    }

    /// Unary numeric promotion (JLS §5.6).
    pub fn promoted(self) -> Primitive {
        match self {
            Primitive::Byte | Primitive::Short | Primitive::Char => Primitive::Int,
            other => other,
        }
    }

    /// Binary numeric promotion (JLS §5.6).
    pub fn promoted_with(self, other: Primitive) -> Primitive {
        self.promoted().max(other.promoted())
    }

    /// Whether a value converts to `to` by identity or widening (JLS §5.1.2).
    pub fn widens_to(self, to: Primitive) -> bool {
        match (self, to) {
            _ if self == to => true,
            (Primitive::Boolean, _) | (_, Primitive::Boolean | Primitive::Char) => false,
            (Primitive::Char, Primitive::Short) => false,
            _ => self < to,
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().1)
    }
}

/// The type of an expression, as far as it is known before the run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A primitive type.
    Primitive(Primitive),
    /// A class or interface, given by its binary name with dots.
    Class(Arc<str>),
    /// An array of the type.
    Array(Box<Type>),
    /// The type of `null`.
    Null,
    /// The result of a `void` method.
    Void,
    /// Not known before the run.
    Unknown,
}

impl Type {
    /// `boolean`
    pub const BOOLEAN: Type = Type::Primitive(Primitive::Boolean);
    /// `int`
    pub const INT: Type = Type::Primitive(Primitive::Int);

    /// The type of a class by its binary name with dots.
    pub fn class(name: &str) -> Type {
        Type::Class(name.into())
    }

    /// `java.lang.String`
    pub fn string() -> Type {
        Type::class("java.lang.String")
    }

    /// The type of a field descriptor, or [`Type::Unknown`] if it is not one.
    pub fn of_descriptor(descriptor: &str) -> Type {
        let mut rest = descriptor;
        parse_descriptor(&mut rest).filter(|_| rest.is_empty()).unwrap_or(Type::Unknown)
    }

    /// The field descriptor; `None` for types that have none.
    pub fn descriptor(&self) -> Option<String> {
        match self {
            Type::Primitive(p) => Some(p.letter().to_string()),
            Type::Class(name) => Some(format!("L{};", name.replace('.', "/"))),
            Type::Array(element) => Some(format!("[{}", element.descriptor()?)),
            Type::Void => Some("V".to_owned()),
            Type::Null | Type::Unknown => None,
        }
    }

    /// The primitive type itself, or the one that a box class unboxes to (JLS §5.1.8).
    pub fn unboxed(&self) -> Option<Primitive> {
        match self {
            Type::Primitive(p) => Some(*p),
            Type::Class(name) => Primitive::from_box(name),
            _ => None,
        }
    }

    /// Whether it is a reference type, including the type of `null`.
    pub fn is_reference(&self) -> bool {
        matches!(self, Type::Class(_) | Type::Array(_) | Type::Null)
    }

    /// Whether it is `java.lang.String`.
    pub fn is_string(&self) -> bool {
        matches!(self, Type::Class(name) if &**name == "java.lang.String")
    }
}

impl fmt::Display for Type {
    /// Writes a class as its binary name, an array as `name[]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Primitive(p) => write!(f, "{p}"),
            Type::Class(name) => f.write_str(name),
            Type::Array(element) => write!(f, "{element}[]"),
            Type::Null => f.write_str("null"),
            Type::Void => f.write_str("void"),
            Type::Unknown => f.write_str("an unknown type"),
        }
    }
}

/// The parameter types and the return type of a method descriptor (JVMS §4.3.3); `None` if it is malformed.
pub fn method_types(descriptor: &str) -> Option<(Vec<Type>, Type)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut parameters = Vec::new();
    while !rest.starts_with(')') {
        parameters.push(parse_descriptor(&mut rest)?);
    }
    rest = rest.strip_prefix(')')?;
    let result = if rest == "V" { Type::Void } else { Type::of_descriptor(rest) };
    (result != Type::Unknown).then_some((parameters, result))
}

fn parse_descriptor(rest: &mut &str) -> Option<Type> {
    let element = rest.trim_start_matches('[');
    let dimensions = rest.len() - element.len();
    let letter = element.chars().next()?;
    let (found, after) = if letter == 'L' {
        let (name, after) = element.get(1..)?.split_once(';')?;
        (Type::Class(name.replace('/', ".").into()), after)
    } else {
        (Type::Primitive(Primitive::from_letter(letter)?), element.get(1..)?)
    };
    *rest = after;
    Some((0..dimensions).fold(found, |t, _| Type::Array(Box::new(t))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_round_trip_and_read_as_source() {
        for (descriptor, text) in
            [("I", "int"), ("[[J", "long[][]"), ("Lshop/Outer$Rec;", "shop.Outer$Rec"), ("[La/B;", "a.B[]")]
        {
            let found = Type::of_descriptor(descriptor);
            assert_eq!(found.to_string(), text);
            assert_eq!(found.descriptor().as_deref(), Some(descriptor));
        }
        for bad in ["", "[", "L", "Lfoo", "II", "Q", "é"] {
            assert_eq!(Type::of_descriptor(bad), Type::Unknown, "{bad}");
        }
        let (parameters, result) = method_types("(I[Ljava/lang/String;)V").unwrap();
        assert_eq!((parameters.len(), result), (2, Type::Void));
        for bad in ["", "(", "()", "(I", "(II)", "(V)V"] {
            assert_eq!(method_types(bad), None, "{bad}");
        }
    }

    #[test]
    fn primitives_widen_as_in_jls_5_1_2() {
        use Primitive::{Boolean, Byte, Char, Double, Float, Int, Long, Short};
        let order = [Boolean, Byte, Short, Char, Int, Long, Float, Double];
        let widening: usize =
            order.iter().map(|a| order.iter().filter(|b| a != *b && a.widens_to(**b)).count()).sum();
        assert_eq!(widening, 19, "JLS §5.1.2 lists 19 widening primitive conversions");
        assert!(Byte.widens_to(Short) && !Byte.widens_to(Char) && !Short.widens_to(Char));
        assert_eq!(Char.promoted_with(Byte), Int);
        assert_eq!(Int.promoted_with(Float), Float);
    }
}
