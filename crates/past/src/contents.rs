//! The contents of collections in a recording, and how they change.

use super::error::PastError;
use super::values::shown_item;
use serde::Serialize;
use std::ops::Range;
use trace::{Calls, CollectionContents, EventTime, Items, Objects, TraceError, Value};

/// The contents of a collection when a call began, and when it ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContentsShown {
    /// When it began; `None` if the recorder had not met the collection yet.
    pub entry: Option<HeldContents>,
    /// When it ended.
    pub exit: Option<HeldContents>,
}

/// The contents of a collection, or the text of a builder or stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldContents {
    /// Number of items; for a text, its length in UTF-16 code units or bytes.
    pub size: usize,
    /// The first items.
    pub items: Vec<ItemShown>,
    /// The text of a builder, or what was printed on a stream so far: the end of it, if it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether the contents may be wrong, because unrecorded code changed the collection.
    pub unrecorded: bool,
}

/// An item of a collection.
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
    /// The contents at a given time, with at most `limit` items; `None` if unknown.
    pub(crate) fn at(
        calls: &mut Calls,
        object: u32,
        when: EventTime,
        limit: usize,
    ) -> Result<Option<HeldContents>, PastError> {
        if calls.has_text(object)? {
            let Some(held) = calls.text(object, when)? else { return Ok(None) };
            let (size, unrecorded) = (held.len(), held.unsure);
            let text = Some(super::text::end(&held));
            return Ok(Some(HeldContents { size, items: Vec::new(), text, unrecorded }));
        }
        let Some(held) = calls.contents(object, when)? else { return Ok(None) };
        Ok(Some(HeldContents {
            size: held.items.len(),
            items: items(&held, &calls.objects, limit),
            text: None,
            unrecorded: held.unsure,
        }))
    }
}

impl ContentsShown {
    /// The contents of one collection when a call began and of one when it ended; `None` if neither has
    /// contents.
    pub(crate) fn between(
        calls: &mut Calls,
        entry: u32,
        exit: u32,
        during: Range<EventTime>,
        limit: usize,
    ) -> Result<Option<ContentsShown>, PastError> {
        let has_any = |object| Ok::<_, TraceError>(calls.has_contents(object)? || calls.has_text(object)?);
        if !has_any(entry)? && !has_any(exit)? {
            return Ok(None);
        }
        let entry = HeldContents::at(calls, entry, during.start, limit)?;
        let exit = HeldContents::at(calls, exit, during.end, limit)?;
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
