//! Values of a recording as text.

use model::{Namer, Tables, Value as Plain};
use trace::{Objects, Value};

/// A value in Java syntax.
pub fn shown(value: &Value, objects: &Objects) -> String {
    text(value, |object| objects.show(object))
}

/// An item of a collection: a box is displayed as its value.
pub fn shown_item(value: &Value, objects: &Objects) -> String {
    text(value, |object| objects.item(object))
}

/// The name of an object that something is done to, such as the owner of a field.
pub fn shown_name(value: &Value, objects: &Objects) -> String {
    text(value, |object| objects.name(object))
}

fn text(value: &Value, of: impl FnOnce(u32) -> String) -> String {
    let plain = match *value {
        Value::Object(object) => return of(object),
        Value::Boolean(v) => Plain::Boolean(v),
        Value::Char(v) => Plain::Char(v),
        Value::Int(v) => Plain::Int(v),
        Value::Long(v) => Plain::Long(v),
        Value::Float(v) => Plain::Float(v),
        Value::Double(v) => Plain::Double(v),
    };
    Namer::default().text(&plain, &Tables::default())
}
