//! Values of the debuggee as they are kept: small, and free of JDWP ids' types.

use super::tables::{ClassKey, ReasonKey, Tables};
use std::fmt::Write as _;
use std::sync::Arc;

/// Identity of an object within one run. Opaque: two ids are equal exactly when the objects are the same one.
/// It means nothing in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// A Java value at a point. 16 bytes, since a million candidates may hold several.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A local variable read outside its range: it holds nothing yet.
    Unassigned,
    /// No element of a collection, or no value for a key.
    Absent,
    /// The expression could not be evaluated there, for the reason named.
    Failed(ReasonKey),
    /// The result of a `void` method.
    Void,
    /// `null`.
    Null,
    /// `boolean`
    Boolean(bool),
    /// `byte`
    Byte(i8),
    /// `char`: one UTF-16 code unit.
    Char(u16),
    /// `short`
    Short(i16),
    /// `int`
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// A `java.lang.String` with its text.
    Str(Arc<JavaString>),
    /// Any other object.
    Object {
        /// Which object.
        id: ObjectId,
        /// Its runtime class.
        class: ClassKey,
    },
}

/// A string of the debuggee.
#[derive(Debug, PartialEq)]
pub struct JavaString {
    /// Which object.
    pub id: ObjectId,
    /// Its text; unpaired surrogates are replaced by U+FFFD.
    pub text: String,
}

impl Value {
    /// The identity of the object, for a reference that is not `null`.
    pub fn object_id(&self) -> Option<ObjectId> {
        match self {
            Value::Str(s) => Some(s.id),
            Value::Object { id, .. } => Some(*id),
            _ => None,
        }
    }

    /// What two references, or two indices of an array, are compared by; none for other values, and for `null`.
    pub fn identity(&self) -> Option<u64> {
        let index =
            |index: i64| u64::from(u32::from_ne_bytes(i32::try_from(index).unwrap_or(-1).to_ne_bytes()));
        match self {
            Value::Byte(i) => Some(index((*i).into())),
            Value::Short(i) => Some(index((*i).into())),
            Value::Char(i) => Some(index((*i).into())),
            Value::Int(i) => Some(index((*i).into())),
            _ => self.object_id().map(|id| id.0),
        }
    }

    /// Whether both are the same value: numbers by value (each `NaN` equals all), references by identity.
    pub fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Value::Double(a), Value::Double(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            _ => match (self.object_id(), other.object_id()) {
                (Some(a), Some(b)) => a == b,
                (None, None) => self == other,
                _ => false,
            },
        }
    }

    /// The binary name of the runtime class, for a reference that is not `null`.
    pub fn class_name(&self, tables: &Tables) -> Option<Arc<str>> {
        match self {
            Value::Str(_) => Some("java.lang.String".into()),
            Value::Object { class, .. } => Some(tables.class(*class)),
            _ => None,
        }
    }
}

/// Writes values as in Java source (DESIGN §6) and numbers objects `Rec@1`, `Rec@2` per class by their order in
/// one answer, so that every back end prints the same.
#[derive(Default)]
pub struct Namer {
    numbers: std::collections::HashMap<ObjectId, String>,
    next: std::collections::HashMap<String, u32>,
}

impl Namer {
    /// The text of a value: `-387`, `"BG"`, `'c'`, `null`, `2L`, `1.5f`, `Rec@2`, `int[]@1`, `unassigned`.
    pub fn text(&mut self, value: &Value, tables: &Tables) -> String {
        match value {
            Value::Unassigned => "unassigned".to_owned(),
            Value::Absent => "absent".to_owned(),
            Value::Failed(reason) => format!("? ({})", tables.reason(*reason)),
            Value::Void => "void".to_owned(),
            Value::Null => "null".to_owned(),
            Value::Boolean(b) => b.to_string(),
            Value::Byte(v) => v.to_string(),
            Value::Short(v) => v.to_string(),
            Value::Int(v) => v.to_string(),
            Value::Long(v) => format!("{v}L"),
            Value::Float(v) => float_text(f64::from(*v), &format!("{v:?}"), "Float", "f"),
            Value::Double(v) => float_text(*v, &format!("{v:?}"), "Double", ""),
            Value::Char(c) => quoted(&String::from_utf16_lossy(&[*c]), '\''),
            Value::Str(s) => quoted(&s.text, '"'),
            Value::Object { id, class } => self.object(*id, &tables.class(*class)),
        }
    }

    fn object(&mut self, id: ObjectId, class: &str) -> String {
        if let Some(known) = self.numbers.get(&id) {
            return known.clone();
        }
        let short = short_class_name(class);
        let number = self.next.entry(short.clone()).or_insert(0);
        *number += 1;
        let text = format!("{short}@{number}");
        self.numbers.insert(id, text.clone());
        text
    }
}

/// `pkg.Outer$Inner` as `Outer.Inner`, `Intro$1` and lambda names unchanged after the package.
pub fn short_class_name(class: &str) -> String {
    let simple = class.rsplit('.').next().unwrap_or(class);
    let mut out = String::with_capacity(simple.len());
    let mut chars = simple.chars().peekable();
    while let Some(c) = chars.next() {
        let inner = c == '$' && !out.is_empty() && chars.peek().is_some_and(|n| n.is_alphabetic());
        out.push(if inner { '.' } else { c });
    }
    out
}

fn float_text(value: f64, digits: &str, class: &str, suffix: &str) -> String {
    if value.is_nan() {
        format!("{class}.NaN")
    } else if value.is_infinite() {
        format!("{class}.{}_INFINITY", if value > 0.0 { "POSITIVE" } else { "NEGATIVE" })
    } else {
        format!("{digits}{suffix}")
    }
}

/// A text between quotes, with the escapes of Java.
pub fn quoted(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_in_java() {
        let mut tables = Tables::default();
        let rec = tables.class_key("shop.Outer$Rec");
        let mut namer = Namer::default();
        let mut text = |v: Value| namer.text(&v, &tables);
        assert_eq!(text(Value::Int(-387)), "-387");
        assert_eq!(text(Value::Long(2)), "2L");
        assert_eq!(text(Value::Double(1.0)), "1.0");
        assert_eq!(text(Value::Float(f32::NAN)), "Float.NaN");
        assert_eq!(text(Value::Char(u16::from(b'\''))), "'\\''");
        let s = JavaString { id: ObjectId(1), text: "B\"G\n".into() };
        assert_eq!(text(Value::Str(Arc::new(s))), "\"B\\\"G\\n\"");
        assert_eq!(text(Value::Object { id: ObjectId(9), class: rec }), "Outer.Rec@1");
        assert_eq!(text(Value::Object { id: ObjectId(7), class: rec }), "Outer.Rec@2");
        assert_eq!(text(Value::Object { id: ObjectId(9), class: rec }), "Outer.Rec@1");
    }

    #[test]
    fn a_value_stays_small() {
        assert!(std::mem::size_of::<Value>() <= 16);
    }
}
