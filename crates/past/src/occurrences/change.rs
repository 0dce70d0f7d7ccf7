//! Changes of the contents of collections, builders and streams, and of the part that a query asks about.

use super::candidate::{Candidates, EventValues};
use super::hit::Hit;
use crate::error::PastError;
use crate::expression::machine::plain_value;
use crate::recording::Recording;
use model::{CollectionState, EventFrame, FrameKey, Value};
use query::{Aspect, Constraint, Counts, Event, Key, Slot, TraceQuery};
use trace::{Calls, Change, CollectionChange, ContentsCursor, EventTime, Item, Value as RecordedValue};

/// What a recorded change names: an index of a list, or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangePlace {
    /// This element of a list is replaced.
    Set(usize),
    /// From this element of a list on, all move.
    From(usize),
    /// The value of this key.
    Key(u32),
    /// Any of them.
    Any,
    /// The collection is made with its contents.
    Made,
    /// The contents are listed, since code that was not recorded may have changed them.
    Listed,
}

impl ChangePlace {
    /// The place of a change; `None` if it changes nothing.
    pub fn of(change: &CollectionChange<'_>) -> Option<ChangePlace> {
        let key = || match change.rest.first() {
            Some(RecordedValue::Object(key)) => ChangePlace::Key(*key),
            _ => ChangePlace::Any,
        };
        Some(match change.change {
            Change::Insert | Change::Remove => ChangePlace::From(change.number(0)),
            Change::Set => ChangePlace::Set(change.number(0)),
            Change::Put | Change::PutBehind | Change::PutLast | Change::Unput => key(),
            Change::Clear | Change::Take | Change::Doubt => ChangePlace::Any,
            Change::AllOfList | Change::AllOfMap => ChangePlace::Listed,
            Change::Backed => return None,
        })
    }
}

/// A change with the method that made it.
pub(super) struct ChangedPart {
    /// The collection, builder or stream.
    pub collection: u32,
    /// The place of the change in it.
    pub change: ChangePlace,
    /// The method of the JDK that changed it, if the code tells.
    pub by: Option<FrameKey>,
}

impl Candidates<'_> {
    /// What a change did to the part that the query asks about. Returns whether it concerns that part.
    pub(super) fn changed(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        query: &TraceQuery,
        changed: &ChangedPart,
        values: &mut EventValues,
    ) -> Result<bool, PastError> {
        let Event::Changed(contents) = &query.event else { return Ok(false) };
        let collection = changed.collection;
        values.owner = self.plain(recording, RecordedValue::Object(collection), "");
        values.detail.by = changed.by;
        values.detail.happened = changed.by.map(|frame| EventFrame { frame, above: 1 });
        if contents.is_stream {
            return Ok(true);
        }
        let touched = match (&contents.aspect, changed.change) {
            (Aspect::Key(wanted), ChangePlace::Key(key)) => {
                if self.key(&recording.calls, key).as_ref() != Some(wanted) {
                    return Ok(false);
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
            let is_other =
                before.is_some() && before != self.items(recording, collection, hit.when.after())?;
            if is_other {
                self.missed.insert((hit.query, collection));
            }
            return Ok(false);
        }
        let before = self.aspect(recording, collection, &contents.aspect, hit.when)?;
        let after = self.aspect(recording, collection, &contents.aspect, hit.when.after())?;
        if changed.change == ChangePlace::Made {
            // An empty one has not changed.
            let nothing = if contents.aspect == Aspect::All { Value::Int(0) } else { Value::Absent };
            values.new = after.filter(|_| before.is_none()).unwrap_or_else(|| nothing.clone());
            values.old = nothing;
            self.see(hit.query, values);
            return Ok(!values.old.same(&values.new));
        }
        // To add to a set what it has already changes nothing.
        let is_set = !contents.calls.iter().any(|call| matches!(call.counts, Counts::Put(..)));
        if is_set && contents.aspect == Aspect::All && before == after {
            return Ok(false);
        }
        if touched {
            self.missed.remove(&(hit.query, collection));
        }
        let Some(before) = before else { return Ok(touched) };
        values.old = before;
        values.new = after.unwrap_or(Value::Unassigned);
        values.detail.unchanged = contents.aspect != Aspect::All && values.old.same(&values.new);
        self.see(hit.query, values);
        Ok(touched || !values.old.same(&values.new))
    }

    /// Notes the state of the collection after a change.
    fn see(&self, query: u16, values: &mut EventValues) {
        values.detail.sights.push(CollectionState { query, value: values.new.clone(), print: 0 });
    }

    /// The states of the collections about which points ask from an occurrence of `point`, whose kept values
    /// these are.
    pub(super) fn sights(
        &mut self,
        recording: &mut Recording,
        hit: &Hit,
        kept: &[Value],
    ) -> Result<Vec<CollectionState>, PastError> {
        let mut states = Vec::new();
        for query in self.queries {
            let Event::Changed(contents) = &query.event else { continue };
            let kept = query.constraints.iter().find_map(|constraint| match constraint {
                Constraint::Sameness { mine: Slot::Owner, point, theirs: Slot::Kept(slot) } => {
                    (point.0 == hit.query).then(|| kept.get(*slot)).flatten()
                }
                _ => None,
            });
            let collection = kept.and_then(Value::object_id).and_then(|id| u32::try_from(id.0).ok());
            let Some(collection) = collection.filter(|_| !contents.is_stream) else { continue };
            let number = query.point.0;
            let Some(value) = self.aspect(recording, collection, &contents.aspect, hit.when)? else {
                continue;
            };
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
    fn aspect(
        &mut self,
        recording: &mut Recording,
        collection: u32,
        aspect: &Aspect,
        when: EventTime,
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
                let items: Vec<_> = cursor.items().collect();
                let is_it = |key: u32, all: &mut Self| all.key(calls, key).as_ref() == Some(wanted);
                items.into_iter().find_map(|(key, value)| is_it(key, self).then_some(value).flatten())
            }
        };
        let value = item.map(|item| self.plain(recording, RecordedValue::Object(item), ""));
        Ok(Some(value.unwrap_or(Value::Absent)))
    }

    /// An object as a key that chains can name.
    fn key(&mut self, calls: &Calls, object: u32) -> Option<Key> {
        let boxed = calls.objects.class(object).and_then(|class| calls.objects.boxed(object, class));
        let plain = || plain_value(calls, &mut self.tables, RecordedValue::Object(object), "").ok();
        Key::of(&boxed.or_else(plain)?)
    }
}
