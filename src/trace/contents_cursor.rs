//! The contents of a collection that is asked for again and again at later times: each change is replayed
//! once.

use super::calls::Calls;
use super::contents::{ChangePlace, CollectionChange, Replay, ReplayedContents};
use super::error::TraceError;
use super::event_time::EventTime;
use std::collections::HashMap;
use wire::recording::Change;

/// The contents of a collection, replayed up to a time.
pub struct ContentsCursor {
    object: u32,
    replay: Replay,
    until: EventTime,
    next: ChangePlace,
    /// The items of a map in order, and the place of each key. `None` if they are not known.
    order: Option<(Vec<u32>, HashMap<u32, usize>)>,
    /// From this place on, the items may have moved since they were taken.
    moved_from: usize,
    /// The places of items that were replaced since then.
    replaced: Vec<usize>,
}

impl ContentsCursor {
    /// For a collection, before its first change.
    pub fn new(object: u32) -> ContentsCursor {
        let order = Some(Default::default());
        ContentsCursor {
            object,
            replay: Replay::new(),
            until: EventTime::BEGIN,
            next: ChangePlace::default(),
            order,
            moved_from: 0,
            replaced: Vec::new(),
        }
    }

    /// Number of items; `None` if the contents are not known, or are those of another object.
    pub fn item_count(&self) -> Option<usize> {
        match &self.replay.held {
            _ if self.replay.unsure => None,
            ReplayedContents::List(list) => Some(list.len()),
            ReplayedContents::Map(map) => Some(map.by_key.len()),
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => None,
        }
    }

    /// Whether it has keys and values.
    pub fn is_map(&self) -> bool {
        matches!(self.replay.held, ReplayedContents::Map(_))
    }

    /// An item of a list, or a key and its value.
    pub fn item(&self, at: usize) -> Option<(u32, Option<u32>)> {
        match &self.replay.held {
            ReplayedContents::List(list) => Some((*list.get(at)?, None)),
            ReplayedContents::Map(map) => {
                let key = *self.order.as_ref()?.0.get(at)?;
                Some((key, Some(map.by_key.get(&key)?.0)))
            }
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => None,
        }
    }

    /// The place from which the items may have moved since the last call, and the places of those that were
    /// replaced.
    pub fn take_changed(&mut self) -> (usize, Vec<usize>) {
        (std::mem::replace(&mut self.moved_from, usize::MAX), std::mem::take(&mut self.replaced))
    }

    fn take(&mut self, recorded: &CollectionChange<'_>, when: EventTime, calls: &super::objects::Objects) {
        let (at, key) = (recorded.number(0), recorded.object(0));
        match (recorded.change, &mut self.replay.held) {
            (Change::Insert, ReplayedContents::List(list)) if at >= list.len() => {}
            (Change::Insert | Change::Remove, ReplayedContents::List(_)) => {
                self.moved_from = self.moved_from.min(at);
            }
            (Change::Set, ReplayedContents::List(_)) => self.replaced.push(at),
            (Change::Put, ReplayedContents::Map(map)) => {
                let is_known = map.by_key.contains_key(&key);
                match &mut self.order {
                    Some((_, places)) if is_known => self.replaced.extend(places.get(&key).copied()),
                    Some((order, places)) => {
                        places.insert(key, order.len());
                        order.push(key);
                    }
                    None => self.moved_from = 0,
                }
            }
            _ => {
                self.moved_from = 0;
                self.order = None;
            }
        }
        self.replay.take(recorded, when, calls);
    }
}

impl Calls {
    /// Replays the changes of a collection up to a time. If that is earlier than the time before, begins
    /// anew.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn advance(&mut self, cursor: &mut ContentsCursor, when: EventTime) -> Result<(), TraceError> {
        if when < cursor.until {
            *cursor = ContentsCursor::new(cursor.object);
        }
        let between = (cursor.next, when);
        cursor.next = self.each_change(cursor.object, between, |recorded, at, objects| {
            cursor.take(recorded, at, objects)
        })?;
        cursor.until = when;
        if let (ReplayedContents::Map(map), None) = (&cursor.replay.held, &cursor.order) {
            let order: Vec<u32> = map.each().map(|(key, _)| key).collect();
            let places = order.iter().copied().zip(0..).collect();
            cursor.order = Some((order, places));
        }
        Ok(())
    }

    /// Whether a value of a map may be stale at the time up to which it was replayed.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn is_stale(&mut self, cursor: &ContentsCursor) -> Result<bool, TraceError> {
        match &cursor.replay.held {
            ReplayedContents::Map(map) => self.is_doubtful(map, cursor.until),
            _ => Ok(false),
        }
    }
}
