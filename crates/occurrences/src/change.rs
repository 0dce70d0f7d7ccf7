//! Changes of the contents of collections, builders and streams, and of the part that a query asks about.

use super::hit::{ChangePlace, Hit};
use model::{CollectionState, Tables, Value};
use past::expression::plain::plain_value;
use past::{PastError, Recording};
use query::{Aspect, Constraint, Counts, Event, Key, Slot, TraceQuery};
use std::collections::{HashMap, HashSet};
use trace::{Calls, ContentsCursor, EventTime, Item, Value as RecordedValue};

/// A change of a collection, builder or stream.
pub(super) struct ChangedPart {
    /// The collection, builder or stream.
    pub collection: u32,
    /// The place of the change in it.
    pub change: ChangePlace,
}

/// What a change did to the part that a query asks about.
pub(super) struct ChangedValues {
    /// The part before.
    pub old: Value,
    /// The part after.
    pub new: Value,
    /// Whether the change put there what was there.
    pub unchanged: bool,
}

/// The contents of collections, replayed up to the last hit.
#[derive(Default)]
pub(super) struct Changes {
    cursors: HashMap<u32, ContentsCursor>,
    /// The queries and collections of which a change was not seen, since the last one that was.
    missed: HashSet<(u16, u32)>,
}

impl Changes {
    /// What a change did to the part that the query asks about; `None` if it does not concern that part.
    pub fn of(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
        tables: &mut Tables,
        changed: &ChangedPart,
    ) -> Result<Option<ChangedValues>, PastError> {
        let Event::Changed(contents) = &query.event else { return Ok(None) };
        let (collection, unknown) = (changed.collection, Value::Unassigned);
        if contents.is_stream {
            return Ok(Some(ChangedValues { old: unknown.clone(), new: unknown, unchanged: false }));
        }
        let touched = match (&contents.aspect, changed.change) {
            (Aspect::Key(wanted), ChangePlace::Key(key)) => {
                if key_of(&recording.calls, key, tables).as_ref() != Some(wanted) {
                    return Ok(None);
                }
                true
            }
            (Aspect::Element(wanted), ChangePlace::Set(at)) => usize::try_from(*wanted) == Ok(at),
            (Aspect::All, change) => change != ChangePlace::Listed,
            _ => false,
        };
        if changed.change == ChangePlace::Listed {
            // Where it changed before that, nobody saw.
            let before = self.items(recording, collection, hit.when)?;
            if before.is_some() && before != self.items(recording, collection, hit.when.after())? {
                self.missed.insert((hit.query, collection));
            }
            return Ok(None);
        }
        let at = |when| CollectionAt { collection, when };
        let before = self.part(recording, &contents.aspect, at(hit.when), tables)?;
        let after = self.part(recording, &contents.aspect, at(hit.when.after()), tables)?;
        if changed.change == ChangePlace::Made {
            // An empty one has not changed.
            let old = if contents.aspect == Aspect::All { Value::Int(0) } else { Value::Absent };
            let new = after.filter(|_| before.is_none()).unwrap_or_else(|| old.clone());
            let has_changed = !old.same(&new);
            return Ok(has_changed.then_some(ChangedValues { old, new, unchanged: false }));
        }
        // To add to a set what it has already changes nothing.
        let is_set = !contents.calls.iter().any(|call| matches!(call.counts, Counts::Put(..)));
        if is_set && contents.aspect == Aspect::All && before == after {
            return Ok(None);
        }
        if touched {
            self.missed.remove(&(hit.query, collection));
        }
        let (old, new) = (before.unwrap_or(Value::Unassigned), after.unwrap_or(Value::Unassigned));
        let is_same = old.same(&new);
        let unchanged = contents.aspect != Aspect::All && is_same;
        Ok((touched || !is_same).then_some(ChangedValues { old, new, unchanged }))
    }

    /// The states of the collections about which `queries` ask from an occurrence with these kept values.
    pub fn states(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        queries: &[TraceQuery],
        tables: &mut Tables,
        kept: &[Value],
    ) -> Result<Vec<CollectionState>, PastError> {
        let mut states = Vec::new();
        for query in queries {
            let Event::Changed(contents) = &query.event else { continue };
            let kept = query.constraints.iter().find_map(|constraint| match constraint {
                Constraint::Sameness { mine: Slot::Owner, point, theirs: Slot::Kept(slot) } => {
                    (point.0 == hit.query).then(|| kept.get(*slot)).flatten()
                }
                _ => None,
            });
            let collection = kept.and_then(Value::object_id).and_then(|id| u32::try_from(id.0).ok());
            let Some(collection) = collection.filter(|_| !contents.is_stream) else { continue };
            let (number, at) = (query.point.0, CollectionAt { collection, when: hit.when });
            let Some(value) = self.part(recording, &contents.aspect, at, tables)? else { continue };
            let print = i64::from(self.missed.contains(&(number, collection)));
            states.push(CollectionState { query: number, value, print });
        }
        Ok(states)
    }

    /// The items of a collection; `None` if they are not known.
    fn items(
        &mut self,
        recording: &mut Recording,
        collection: u32,
        when: EventTime,
    ) -> Result<Option<Vec<Item>>, PastError> {
        let cursor = self.cursors.entry(collection).or_insert_with(|| ContentsCursor::new(collection));
        recording.calls.advance(cursor, when)?;
        Ok(cursor.item_count().map(|_| cursor.items().collect()))
    }

    /// The part of the contents that a query asks about; `None` if they are not known.
    fn part(
        &mut self,
        recording: &mut Recording,
        aspect: &Aspect,
        CollectionAt { collection, when }: CollectionAt,
        tables: &mut Tables,
    ) -> Result<Option<Value>, PastError> {
        let calls = &mut recording.calls;
        let number = |length: usize| i32::try_from(length).ok().map(Value::Int);
        if calls.has_text(collection)? {
            return Ok(calls.text(collection, when)?.and_then(|held| number(held.len())));
        }
        let cursor = self.cursors.entry(collection).or_insert_with(|| ContentsCursor::new(collection));
        calls.advance(cursor, when)?;
        let Some(count) = cursor.item_count() else { return Ok(None) };
        let item = match aspect {
            Aspect::All => return Ok(number(count)),
            Aspect::Element(at) => usize::try_from(*at).ok().and_then(|at| cursor.element(at)),
            Aspect::Key(wanted) => {
                let mut items = cursor.items();
                let found = items.find(|(key, _)| key_of(calls, *key, tables).as_ref() == Some(wanted));
                found.and_then(|(_, value)| value)
            }
        };
        let Some(item) = item else { return Ok(Some(Value::Absent)) };
        let value = plain_value(calls, tables, RecordedValue::Object(item), "");
        Ok(Some(value.unwrap_or_else(|why| Value::Failed(tables.reason_key(&why)))))
    }
}

/// A collection at a time.
struct CollectionAt {
    collection: u32,
    when: EventTime,
}

/// An object as a key that chains can name.
fn key_of(calls: &Calls, object: u32, tables: &mut Tables) -> Option<Key> {
    let boxed = calls.objects.class(object).and_then(|class| calls.objects.boxed(object, class));
    Key::of(&match boxed {
        Some(held) => held,
        None => plain_value(calls, tables, RecordedValue::Object(object), "").ok()?,
    })
}
