//! Values of the debuggee, in a compact form without JDWP ids.

use super::keys::{ClassKey, ReasonKey};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem;
use std::sync::Arc;

/// The identity of an object within one run. Opaque: two ids are equal exactly if the objects are identical.
/// Meaningless in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// A Java value at a point. 16 bytes, since a million candidates may each hold several.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A local variable read outside its range: it has no value yet.
    Unassigned,
    /// A missing element of a collection, or a missing value for a key.
    Absent,
    /// The expression could not be evaluated there, for this reason.
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
        /// The identity of the object.
        id: ObjectId,
        /// Its runtime class.
        class: ClassKey,
    },
}

/// A string of the debuggee.
#[derive(Debug, PartialEq)]
pub struct JavaString {
    /// The identity of the object.
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

    /// The number by which two references, or two array indices, are compared; `None` for other values and
    /// for `null`.
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

    /// Whether both are the same value: numbers by value (each `NaN` equals every other), references by
    /// identity.
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

    /// Whether both are the same value, comparing strings by their text.
    pub fn equals(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Str(a), Value::Str(b)) => a.text == b.text,
            _ => self.same(other),
        }
    }

    /// A hash that is equal for equal values, as defined by [`Value::equals`]. `None` for a value that could
    /// not be read.
    pub fn equality(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        match self {
            Value::Failed(_) => return None,
            Value::Str(string) => string.text.hash(&mut hasher),
            Value::Float(value) if value.is_nan() => f32::NAN.to_bits().hash(&mut hasher),
            Value::Float(value) => value.to_bits().hash(&mut hasher),
            Value::Double(value) if value.is_nan() => f64::NAN.to_bits().hash(&mut hasher),
            Value::Double(value) => value.to_bits().hash(&mut hasher),
            Value::Object { id, .. } => id.hash(&mut hasher),
            Value::Boolean(value) => value.hash(&mut hasher),
            Value::Byte(value) => value.hash(&mut hasher),
            Value::Char(value) => value.hash(&mut hasher),
            Value::Short(value) => value.hash(&mut hasher),
            Value::Int(value) => value.hash(&mut hasher),
            Value::Long(value) => value.hash(&mut hasher),
            _ => mem::discriminant(self).hash(&mut hasher),
        }
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_small() {
        assert!(std::mem::size_of::<Value>() <= 16);
    }
}
