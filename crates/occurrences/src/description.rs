//! What is known about the objects of an occurrence, for display: their identity, and their contents at that
//! time.

use model::{ContentsByObject, MOST_ITEMS, ObjectContents, ObjectDescription, ObjectId, Tables, Value};
use past::expression::plain::plain_value;
use past::snapshot::{Bounds, Shaper};
use past::{PastError, Recording};
use std::sync::Arc;
use trace::{Calls, EventTime, Items};

/// Why a part of an object has no value.
const UNKNOWN: &str = "it was not recorded";
/// The prefix of the fields that the compiler made.
const SYNTHETIC: &str = "this$";

/// Adds to the tables what identifies these values.
pub fn describe<'v>(calls: &Calls, values: impl Iterator<Item = &'v Value>, tables: &mut Tables) {
    let mut left: Vec<ObjectId> = values.filter_map(Value::object_id).collect();
    while let Some(id) = left.pop() {
        let Some(object) = u32::try_from(id.0).ok().filter(|_| tables.description(id).is_none()) else {
            continue;
        };
        let Some(description) = description(calls, object, tables) else { continue };
        match &description {
            ObjectDescription::Optional(inside) => left.extend(inside.object_id()),
            ObjectDescription::Exception { cause, .. } => left.extend(cause.object_id()),
            _ => {}
        }
        tables.describe(id, description);
    }
}

fn description(calls: &Calls, object: u32, tables: &mut Tables) -> Option<ObjectDescription> {
    let objects = &calls.objects;
    let class = objects.class(object)?;
    if let Some(held) = objects.boxed(object, class) {
        return Some(ObjectDescription::Boxed(held));
    }
    if let Some(inside) = objects.inside_optional(object) {
        return plain_value(calls, tables, inside, "").ok().map(ObjectDescription::Optional);
    }
    if let Some(text) = objects.fixed_text(object) {
        return Some(ObjectDescription::Text(text.into()));
    }
    let cause = objects.cause_of(object)?;
    let message = objects.message(object).map(|message| message.begins.into());
    // An exception without a cause is its own.
    let cause = if cause == 0 { object } else { cause };
    let cause = plain_value(calls, tables, trace::Value::Object(cause), "").unwrap_or(Value::Null);
    Some(ObjectDescription::Exception { message, cause })
}

/// The contents of these objects at a time, of at most `limit` of them.
pub fn contents_of_values(
    recording: &mut Recording,
    values: &[Value],
    when: EventTime,
    tables: &mut Tables,
    limit: usize,
) -> Result<ContentsByObject, PastError> {
    let mut all = ContentsByObject::new();
    for value in values {
        let Value::Object { id, .. } = value else { continue };
        let Ok(object) = u32::try_from(id.0) else { continue };
        let is_known = tables.description(*id).is_some() || all.iter().any(|(known, _)| known == id);
        if is_known || all.len() >= limit {
            continue;
        }
        if let Some(contents) = contents_of_object(recording, object, when, tables)? {
            describe(&recording.calls, contents.values().into_iter(), tables);
            all.push((*id, contents));
        }
    }
    Ok(all)
}

fn contents_of_object(
    recording: &mut Recording,
    object: u32,
    when: EventTime,
    tables: &mut Tables,
) -> Result<Option<ObjectContents>, PastError> {
    let calls = &mut recording.calls;
    if calls.has_text(object)? {
        let held = calls.text(object, when)?.filter(|held| held.is_whole() && !held.unsure);
        return Ok(held.map(|held| ObjectContents::Text(held.text().into())));
    }
    if calls.has_contents(object)? {
        let held = calls.contents(object, when)?.filter(|held| !held.unsure);
        return Ok(held.map(|held| of_items(&recording.calls, held.items, tables)));
    }
    let bounds = Bounds { depth: 1, elements: MOST_ITEMS, parts: MOST_ITEMS };
    let mut shaper = Shaper { calls, fields: &mut recording.code.fields, bounds };
    let length = shaper.calls.objects.length_of(object);
    let (parts, is_whole) = shaper.parts(object, 4 * MOST_ITEMS)?;
    if parts.is_empty() && length.is_none() || length.is_none() && !is_whole {
        return Ok(None);
    }
    let size = length.map_or(parts.len(), |length| usize::try_from(length).unwrap_or(usize::MAX));
    let mut named: Vec<(Option<Arc<str>>, Value)> = Vec::new();
    for part in parts.into_iter().filter(|part| part.name.as_ref().is_none_or(|n| !n.starts_with(SYNTHETIC)))
    {
        let held = shaper.held(object, &part, when)?;
        let value = match held {
            Some(value) => plain_value(shaper.calls, tables, value, &part.descriptor),
            None => Err(UNKNOWN.to_owned()),
        };
        let value = value.unwrap_or_else(|why| Value::Failed(tables.reason_key(&why)));
        named.push((part.name.as_deref().map(Into::into), value));
    }
    // Of an object whose code was not recorded, nothing is known.
    if !named.is_empty() && named.iter().all(|(_, value)| matches!(value, Value::Failed(_))) {
        return Ok(None);
    }
    Ok(Some(match length {
        Some(_) => {
            let first = named.into_iter().map(|(_, value)| value).take(MOST_ITEMS).collect();
            ObjectContents::Elements { first, size }
        }
        None => {
            let size = named.len();
            let fields = named.into_iter().filter_map(|(name, value)| Some((name?, value)));
            ObjectContents::Fields { first: fields.take(MOST_ITEMS).collect(), size }
        }
    }))
}

fn of_items(calls: &Calls, items: Items, tables: &mut Tables) -> ObjectContents {
    let size = items.len();
    let mut plain = |value: trace::Value| {
        plain_value(calls, tables, value, "").unwrap_or_else(|why| Value::Failed(tables.reason_key(&why)))
    };
    match items {
        Items::Elements(elements) => {
            let first = elements.into_iter().take(MOST_ITEMS);
            // An unknown element has no object.
            let first = first.map(|element| plain(element.unwrap_or(trace::Value::Object(u32::MAX))));
            ObjectContents::Elements { first: first.collect(), size }
        }
        Items::Pairs(pairs) => {
            let first = pairs.into_iter().take(MOST_ITEMS).map(|(key, value)| (plain(key), plain(value)));
            ObjectContents::Pairs { first: first.collect(), size }
        }
    }
}
