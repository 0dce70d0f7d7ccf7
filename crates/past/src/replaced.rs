//! What changes of collections replace or remove, which their events do not have.

use crate::error::PastError;
use crate::event::EventShown;
use crate::values::shown_item;
use std::collections::HashMap;
use trace::{Calls, Change, ContentsCursor, EventTime, TracedEvent, Value};

/// What a change replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced {
    collection: u32,
    part: ReplacedPart,
}

#[derive(Clone, Copy, Debug)]
enum ReplacedPart {
    /// The element at this index.
    Element(usize),
    /// The value of this key.
    Value(u32),
}

impl Replaced {
    /// What an event replaces; `None` if it is no change of a collection, or replaces nothing.
    pub fn by(seen: &TracedEvent<'_>) -> Option<Replaced> {
        let change = seen.collection_change()?;
        let key = || match change.rest.first() {
            Some(Value::Object(key)) => Some(ReplacedPart::Value(*key)),
            _ => None,
        };
        let part = match change.change {
            Change::Set | Change::Remove => ReplacedPart::Element(change.number(0)),
            Change::Put | Change::PutLast | Change::Unput => key()?,
            _ => return None,
        };
        Some(Replaced { collection: change.collection, part })
    }
}

/// Adds to changes what they replace. They are in the order of the run, so each collection is gone through
/// once.
///
/// # Errors
/// The events cannot be read.
pub(crate) fn add_replaced<'e>(
    calls: &mut Calls,
    changes: impl Iterator<Item = (EventTime, Replaced, &'e mut EventShown)>,
) -> Result<(), PastError> {
    let mut cursors: HashMap<u32, ContentsCursor> = HashMap::new();
    for (when, replaced, shown) in changes {
        let Replaced { collection, part } = replaced;
        let cursor = cursors.entry(collection).or_insert_with(|| ContentsCursor::new(collection));
        calls.advance(cursor, when)?;
        // Where the contents may be wrong, nothing is said.
        let old = cursor.item_count().and_then(|_| match part {
            ReplacedPart::Element(at) => cursor.element(at),
            ReplacedPart::Value(key) => cursor.value_of(key),
        });
        shown.old = old.map(|old| shown_item(&Value::Object(old), &calls.objects));
    }
    Ok(())
}
