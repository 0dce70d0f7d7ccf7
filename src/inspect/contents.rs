//! What collections of a recorded run hold, and how they change.

use super::error::InspectError;
use super::values::shown_item;
use crate::trace::{Calls, CollectionContents, EventTime, Items, Objects, Value};
use serde::Serialize;

/// What a collection held as a call began, and as it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContentsShown {
    /// As it began; none where nobody had met it.
    pub entry: Option<HeldContents>,
    /// As it ended.
    pub exit: Option<HeldContents>,
}

/// What a collection held.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldContents {
    /// How many.
    pub size: usize,
    /// The first of them.
    pub items: Vec<ItemShown>,
    /// It may have held something else: it was changed where that is not recorded.
    pub unrecorded: bool,
}

/// What is in a collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ItemShown {
    /// An element.
    Element(String),
    /// A key with its value.
    Pair {
        /// The key.
        key: String,
        /// The value.
        value: String,
    },
}

impl HeldContents {
    /// What it held at some time, no more than so many items; none where that is not known.
    pub(crate) fn at(
        calls: &mut Calls,
        object: u32,
        when: EventTime,
        limit: usize,
    ) -> Result<Option<HeldContents>, InspectError> {
        let Some(held) = calls.contents(object, when)? else { return Ok(None) };
        Ok(Some(HeldContents {
            size: held.items.len(),
            items: items(&held, &calls.objects, limit),
            unrecorded: held.unsure,
        }))
    }
}

impl ContentsShown {
    /// Of what is held as a call begins, and of what is held as it ends; none where neither is a collection.
    pub(crate) fn between(
        calls: &mut Calls,
        (entry, exit): (u32, u32),
        (begins, ends): (EventTime, EventTime),
        limit: usize,
    ) -> Result<Option<ContentsShown>, InspectError> {
        if !calls.has_contents(entry) && !calls.has_contents(exit) {
            return Ok(None);
        }
        let entry = HeldContents::at(calls, entry, begins, limit)?;
        let exit = HeldContents::at(calls, exit, ends, limit)?;
        Ok(Some(ContentsShown { entry, exit }))
    }
}

fn items(held: &CollectionContents, objects: &Objects, limit: usize) -> Vec<ItemShown> {
    let text = |value: &Value| shown_item(value, objects);
    match &held.items {
        Items::Elements(elements) => {
            let element = |value: &Option<Value>| value.as_ref().map_or_else(|| "?".to_owned(), text);
            elements.iter().take(limit).map(|value| ItemShown::Element(element(value))).collect()
        }
        Items::Pairs(pairs) => {
            let pair = |(key, value): &(Value, Value)| ItemShown::Pair { key: text(key), value: text(value) };
            pairs.iter().take(limit).map(pair).collect()
        }
    }
}
