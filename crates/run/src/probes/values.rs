//! Converts the recorder's values, and finds the fields that it names.

use super::ask::RecorderStop;
use crate::error::RunError;
use crate::loaded::LoadedClass;
use crate::watched::Watched;
use jdwp::commands::object_reference;
use model::Value;
use query::Field;
use std::rc::Rc;

/// The class that declares a field of an owner.
pub async fn declaring(
    watched: &mut Watched,
    field: &Field,
    owner: jdwp::Value,
) -> Result<Option<Rc<LoadedClass>>, RunError> {
    let jdwp::Value::Object { id: Some(object), .. } = owner else {
        let classes = watched.vm.classes_named(&field.class).await?;
        return match classes.as_slice() {
            [only] => Ok(Some(watched.vm.class(*only).await?)),
            _ => Ok(None),
        };
    };
    let of = watched.vm.conn().send(object_reference::ReferenceType { object }).await?;
    let mut next = Some(of.type_id);
    while let Some(id) = next {
        let class = watched.vm.class(id).await?;
        if class.name == field.class {
            return Ok(Some(class));
        }
        next = class.superclass;
    }
    Ok(None)
}

/// The new value of a hit.
pub async fn new_value(
    watched: &mut Watched,
    descriptor: &str,
    hit: &RecorderStop,
) -> Result<Value, RunError> {
    value_of(watched, descriptor, hit.bits, hit.value).await
}

/// Converts a value that the recorder gives as bits or as a reference.
pub async fn value_of(
    watched: &mut Watched,
    descriptor: &str,
    bits: i64,
    value: jdwp::Value,
) -> Result<Value, RunError> {
    #[allow(clippy::cast_possible_truncation, reason = "that is what the JVM does (JVMS §2.11.1)")]
    Ok(match descriptor.chars().next() {
        Some('Z') => Value::Boolean(bits & 1 != 0),
        Some('B') => Value::Byte(bits as i8),
        Some('C') => Value::Char(bits as u16),
        Some('S') => Value::Short(bits as i16),
        Some('I') => Value::Int(bits as i32),
        Some('J') => Value::Long(bits),
        Some('F') => Value::Float(f32::from_bits(bits as u32)),
        Some('D') => Value::Double(f64::from_bits(bits.cast_unsigned())),
        _ => watched.vm.value(&mut watched.tables, value).await?,
    })
}
