//! Objects that a condition creates, and that the recorded program never had.

use expr::Primitive;
use model::Value;

/// An object that a condition creates.
#[derive(Clone, Debug)]
pub enum SyntheticObject {
    /// A string.
    Text(String),
    /// The box of a primitive value.
    Box(Value),
}

impl SyntheticObject {
    /// Its class.
    pub fn class(&self) -> &'static str {
        match self {
            SyntheticObject::Text(_) => "java.lang.String",
            SyntheticObject::Box(value) => match value {
                Value::Boolean(_) => Primitive::Boolean,
                Value::Byte(_) => Primitive::Byte,
                Value::Short(_) => Primitive::Short,
                Value::Char(_) => Primitive::Char,
                Value::Long(_) => Primitive::Long,
                Value::Float(_) => Primitive::Float,
                Value::Double(_) => Primitive::Double,
                _ => Primitive::Int,
            }
            .box_class(),
        }
    }
}
