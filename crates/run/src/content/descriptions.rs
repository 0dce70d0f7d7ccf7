//! Immutable facts about objects, read once per object and run.

use super::super::error::RunError;
use super::super::vm::Vm;
use super::layout::Layout;
use super::objects::objects;
use super::replies::granted;
use jdwp::ArrayId;
use jdwp::commands::{array_reference, class_object_reference, object_reference};
use model::{Fact, ObjectDescription, ObjectId, Tables, Value, short_class_name};
use std::rc::Rc;
use std::sync::Arc;

/// How deep nested objects are followed, such as those of a `LocalDateTime`.
const DEEP: u32 = 4;
/// Maximum number of objects in one batch.
const MOST: usize = 512;
/// Longest `BigInteger` shown, in 32-bit words.
const WORDS: i32 = 64;

/// Which objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescribedObjects {
    /// All.
    All,
    /// Only objects that cannot be read too early. While the constructor of a box or date runs, its value is
    /// not set yet, and a value once read is kept.
    Constants,
}

/// Stores immutable facts about the objects among these values in the tables.
///
/// # Errors
/// The connection has ended.
pub async fn describe(
    vm: &mut Vm,
    tables: &mut Tables,
    values: &[&Value],
    which: DescribedObjects,
) -> Result<(), RunError> {
    deeper(vm, tables, values.iter().map(|v| (*v).clone()).collect(), which, DEEP).await
}

async fn deeper(
    vm: &mut Vm,
    tables: &mut Tables,
    values: Vec<Value>,
    which: DescribedObjects,
    deep: u32,
) -> Result<(), RunError> {
    let unknown = values.iter().filter(|value| match value.object_id() {
        // `initCause` can still give it a cause.
        Some(id) => tables.description(id).is_none_or(
            |of| matches!(of, ObjectDescription::Exception { cause, .. } if cause.object_id() == Some(id)),
        ),
        None => false,
    });
    let found = objects(vm, unknown, MOST).await?;
    let mut requests = Vec::new();
    for (object, layout) in found {
        let Some(fact) = &layout.fact else { continue };
        if which == DescribedObjects::Constants
            && !matches!(fact, Fact::Enum(_) | Fact::Exception(_) | Fact::Lambda(_))
        {
            continue;
        }
        let Some(fields) = layout.fields_named(&fact.fields()) else { continue };
        let pending = match fields.is_empty() {
            true => None,
            false => Some(vm.conn().send(object_reference::GetValues { object, fields })),
        };
        requests.push((object, layout, pending));
    }
    let mut read: Vec<(jdwp::ObjectId, Rc<Layout>, Vec<Value>)> = Vec::new();
    for (object, layout, pending) in requests {
        let raw = match pending {
            None => Some(Vec::new()),
            Some(pending) => granted(pending.await)?,
        };
        if let Some(raw) = raw {
            read.push((object, layout, vm.values(tables, &raw).await?));
        }
    }
    if deep > 0 {
        let inner: Vec<Value> =
            read.iter().flat_map(|(_, _, values)| values).filter(|v| is_object(v)).cloned().collect();
        if !inner.is_empty() {
            Box::pin(deeper(vm, tables, inner, which, deep - 1)).await?;
        }
    }
    for (object, layout, values) in read {
        if let Some(description) = description(vm, tables, object, &layout, &values).await? {
            tables.describe(model::ObjectId(object.raw()), description);
        }
    }
    Ok(())
}

fn is_object(value: &Value) -> bool {
    matches!(value, Value::Object { .. })
}

async fn description(
    vm: &mut Vm,
    tables: &Tables,
    object: jdwp::ObjectId,
    layout: &Layout,
    values: &[Value],
) -> Result<Option<ObjectDescription>, RunError> {
    let Some(fact) = &layout.fact else { return Ok(None) };
    let class = layout.names.first().map(|name| &**name).unwrap_or_default();
    let known = |id: ObjectId| tables.description(id).cloned();
    Ok(match (fact, values) {
        (Fact::Class, _) => {
            let class_object = jdwp::ClassObjectId::of(object);
            let ask = class_object_reference::ReflectedType { class_object };
            let Some(reflected) = granted(vm.conn().send(ask).await)? else { return Ok(None) };
            let name = granted_name(vm, reflected.type_id).await?;
            name.map(|name| ObjectDescription::Text(format!("{}.class", short_class_name(&name)).into()))
        }
        (Fact::BigInteger, [sign, Value::Object { id, .. }]) => {
            let array_object = ArrayId::of(jdwp::ObjectId::new(id.0));
            let length = granted(vm.conn().send(array_reference::Length { array_object }).await)?;
            let mut parts = vec![sign.clone()];
            match length {
                Some(0) => {}
                Some(length @ 1..=WORDS) => {
                    let ask = array_reference::GetValues { array_object, first_index: 0, length };
                    let Some(words) = granted(vm.conn().send(ask).await)? else { return Ok(None) };
                    let words = words.iter().filter_map(|word| match word {
                        jdwp::Value::Int(word) => Some(Value::Int(word)),
                        _ => None,
                    });
                    parts.extend(words);
                }
                _ => return Ok(None),
            }
            fact.description(class, &parts, known)
        }
        _ => fact.description(class, values, known),
    })
}

async fn granted_name(vm: &mut Vm, class: jdwp::ReferenceTypeId) -> Result<Option<Arc<str>>, RunError> {
    match vm.class(class).await {
        Ok(class) => Ok(Some(class.name.clone())),
        Err(RunError::Vm(e)) if !e.is_fatal() => Ok(None),
        Err(e) => Err(e),
    }
}
