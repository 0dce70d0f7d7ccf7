//! An object before an event, with the objects that it refers to.

use crate::error::PastError;
use crate::fields::Fields;
use crate::heap::held;
use crate::snapshot::{Bounds, Shaper};
use crate::text::end as text_end;
use crate::values::{shown, shown_item};
use model::quoted;
use serde::Serialize;
use std::collections::HashMap;
use trace::{Calls, CollectionContents, EventTime, Items, Objects, Value};

/// Maximum number of fields and elements shown of an object.
const PARTS: usize = 24;

/// An object before the event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectShown {
    /// The object.
    pub object: String,
    /// Its fields, elements or contents.
    pub parts: Vec<MemberShown>,
    /// Whether there are more.
    pub more: bool,
}

/// A field or element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemberShown {
    /// Its name, or its index in brackets.
    pub name: String,
    /// Its value; `None` if it is not known.
    pub value: Option<String>,
    /// Whether its value differs from that at the entry of the call.
    pub changed: bool,
    /// The object that it refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<ObjectShown>,
    /// The value itself.
    #[serde(skip)]
    pub held: Option<Value>,
}

/// Reads objects at one event.
pub(crate) struct ObjectReader<'a> {
    calls: &'a mut Calls,
    fields: &'a mut Fields,
    /// The time of the event.
    when: EventTime,
    /// The time at which its call began.
    began: EventTime,
    /// The objects being read, from the outermost. An object that refers to itself is not read again.
    open: Vec<u32>,
}

impl ObjectReader<'_> {
    pub fn new<'a>(
        calls: &'a mut Calls,
        fields: &'a mut Fields,
        when: EventTime,
        began: EventTime,
    ) -> ObjectReader<'a> {
        ObjectReader { calls, fields, when, began, open: Vec::new() }
    }

    /// An object, and the objects that it refers to, down to `depth` levels.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(crate) fn object(&mut self, object: u32, depth: u32) -> Result<ObjectShown, PastError> {
        let bounds = Bounds { depth: 1, elements: PARTS, parts: PARTS };
        let mut shaper = Shaper { calls: self.calls, fields: self.fields, bounds };
        let (all, is_whole) = shaper.parts(object, PARTS)?;
        let is_cut = !is_whole && all.len() == PARTS;
        let mut parts = Vec::new();
        self.open.push(object);
        for part in all {
            let then = held(self.calls, object, &part, self.when)?.value();
            let before = held(self.calls, object, &part, self.began)?.value();
            let name = part.path("").trim_start_matches('.').to_owned();
            let value = then.map(|value| shown(&value, &self.calls.objects));
            let inner = self.inner(then, depth)?;
            parts.push(MemberShown { name, value, changed: then != before, inner, held: then });
        }
        let is_more = self.contents(object, depth, &mut parts)?;
        self.open.pop();
        let object = self.calls.objects.name(object);
        Ok(ObjectShown { object, parts, more: is_cut || is_more })
    }

    /// The object that a value refers to, unless it has nothing to show, lies too deep, or is already being
    /// read.
    fn inner(&mut self, value: Option<Value>, depth: u32) -> Result<Option<ObjectShown>, PastError> {
        Ok(match value {
            Some(Value::Object(inner)) if depth > 0 && inner != 0 && !self.open.contains(&inner) => {
                Some(self.object(inner, depth - 1)?).filter(|inner| !inner.parts.is_empty())
            }
            _ => None,
        })
    }

    /// Adds the contents of a collection, or a text, after the object's fields. Returns whether there are
    /// more.
    fn contents(&mut self, object: u32, depth: u32, parts: &mut Vec<MemberShown>) -> Result<bool, PastError> {
        if self.calls.has_text(object)? {
            let Some(then) = self.calls.text(object, self.when)? else { return Ok(false) };
            let before = self.calls.text(object, self.began)?;
            let (name, changed) = ("text".to_owned(), before.as_ref() != Some(&then));
            let value = Some(quoted(&text_end(&then), '"'));
            parts.push(MemberShown { name, value, changed, inner: None, held: None });
            return Ok(false);
        }
        if !self.calls.has_contents(object)? {
            return Ok(false);
        }
        let Some(then) = self.calls.contents(object, self.when)? else { return Ok(false) };
        let before = named(self.calls.contents(object, self.began)?, &self.calls.objects);
        let is_unsure = then.unsure;
        let all = named(Some(then), &self.calls.objects);
        let was: HashMap<&String, Option<Value>> =
            before.iter().map(|(name, value)| (name, *value)).collect();
        for (name, value) in all.iter().take(PARTS.saturating_sub(parts.len())) {
            let inner = self.inner(*value, depth)?;
            let changed = was.get(name).is_none_or(|before| before != value);
            let shown = value.as_ref().map(|value| shown_item(value, &self.calls.objects));
            parts.push(MemberShown { name: name.clone(), value: shown, changed, inner, held: *value });
        }
        let is_more = all.len() > parts.len();
        if is_unsure {
            let name = "contents may have changed where it was not recorded".to_owned();
            parts.push(MemberShown { name, value: None, changed: false, inner: None, held: None });
        }
        Ok(is_more)
    }
}

/// The elements of a collection by index or key.
fn named(held: Option<CollectionContents>, objects: &Objects) -> Vec<(String, Option<Value>)> {
    match held.map(|held| held.items) {
        None => Vec::new(),
        Some(Items::Elements(elements)) => {
            (0..).zip(elements).map(|(at, value): (usize, _)| (format!("[{at}]"), value)).collect()
        }
        Some(Items::Pairs(pairs)) => pairs
            .into_iter()
            .map(|(key, value)| (format!("[{}]", shown_item(&key, objects)), Some(value)))
            .collect(),
    }
}
