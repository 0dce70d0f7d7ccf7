//! Recorded values as values of the model.

use crate::snapshot::type_name;
use model::{JavaString, ObjectDescription, ObjectId, Tables, Value, short_class_name};
use std::sync::Arc;
use trace::Calls;

/// The objects of classes have numbers from here on, by the class's key.
const CLASS_OBJECTS: u64 = 1 << 40;

/// A recorded value of the type of a descriptor, with its class in these tables; or why not all of it is
/// known.
pub fn plain_value(
    calls: &Calls,
    tables: &mut Tables,
    value: trace::Value,
    descriptor: &str,
) -> Result<Value, String> {
    let object = match value {
        trace::Value::Object(0) => return Ok(Value::Null),
        trace::Value::Object(object) => object,
        plain => return Ok(primitive(plain, descriptor)),
    };
    let id = ObjectId(object.into());
    if let Some(text) = calls.objects.text_of(object) {
        // An unpaired surrogate reads as this character too.
        if !text.is_whole() || text.begins.contains('\u{fffd}') {
            return Err(format!("not all of the text {} was recorded", calls.objects.show(object)));
        }
        return Ok(Value::Str(Arc::new(JavaString { id, text: text.begins })));
    }
    let class = calls.objects.class(object).ok_or("the class of an object was not recorded")?;
    Ok(Value::Object { id, class: tables.class_key(&type_name(class)) })
}

/// The object of a class, by which static fields of classes are told apart.
pub fn class_object(tables: &mut Tables, class: &str) -> Value {
    let id = ObjectId(CLASS_OBJECTS + u64::from(tables.class_key(class).0));
    tables.describe(id, ObjectDescription::Text(format!("{}.class", short_class_name(class)).into()));
    Value::Object { id, class: tables.class_key("java.lang.Class") }
}

/// Converts a primitive value to the type of a descriptor. The recording keeps every type that the VM
/// computes as `int` as one.
pub(super) fn primitive(value: trace::Value, descriptor: &str) -> Value {
    match (value, descriptor) {
        (trace::Value::Int(value), "Z") => Value::Boolean(value & 1 != 0),
        (trace::Value::Int(value), "B") => Value::Byte(value as i8),
        (trace::Value::Int(value), "S") => Value::Short(value as i16),
        (trace::Value::Int(value), "C") => Value::Char(value as u16),
        (trace::Value::Int(value), _) => Value::Int(value),
        (trace::Value::Boolean(value), _) => Value::Boolean(value),
        (trace::Value::Char(value), _) => Value::Char(value),
        (trace::Value::Long(value), _) => Value::Long(value),
        (trace::Value::Float(value), _) => Value::Float(value),
        (trace::Value::Double(value), _) => Value::Double(value),
        (trace::Value::Object(_), _) => Value::Null,
    }
}
