//! The contents of a collection that is asked for again and again at later times: each change is replayed
//! once.

use super::calls::Calls;
use super::contents::{ChangePlace, CollectionChange, Replay, ReplayedContents};
use super::error::TraceError;
use super::event_time::EventTime;
use super::objects::Objects;
use wire::recording::Change;

/// An element of a list, or a key and its value.
pub type Item = (u32, Option<u32>);

/// What changed in a collection since that was asked for the last time.
#[derive(Debug, Default)]
pub struct ContentsChanges {
    /// Nothing else here is known: all of it may have changed.
    pub all: bool,
    /// From this place of a list on, the items may have moved.
    pub moved_from: Option<usize>,
    /// The places of a list whose items were replaced.
    pub replaced: Vec<usize>,
    /// The items that went.
    pub gone: Vec<Item>,
    /// The items that came.
    pub come: Vec<Item>,
}

/// The contents of a collection, replayed up to a time.
pub struct ContentsCursor {
    object: u32,
    replay: Replay,
    until: EventTime,
    next: ChangePlace,
    changes: ContentsChanges,
}

impl ContentsCursor {
    /// For a collection, before its first change.
    pub fn new(object: u32) -> ContentsCursor {
        ContentsCursor {
            object,
            replay: Replay::new(),
            until: EventTime::BEGIN,
            next: ChangePlace::default(),
            changes: ContentsChanges { all: true, ..ContentsChanges::default() },
        }
    }

    /// Number of items; `None` if the contents are not known, or are those of another object.
    pub fn item_count(&self) -> Option<usize> {
        self.recorded_count().filter(|_| !self.replay.unsure)
    }

    /// As [`ContentsCursor::item_count`], but also the number of items that may be wrong.
    pub fn recorded_count(&self) -> Option<usize> {
        match &self.replay.held {
            ReplayedContents::List(list) => Some(list.len()),
            ReplayedContents::Map(map) => Some(map.by_key.len()),
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => None,
        }
    }

    /// Whether it has keys and values.
    pub fn is_map(&self) -> bool {
        matches!(self.replay.held, ReplayedContents::Map(_))
    }

    /// The items in order.
    pub fn items(&self) -> Box<dyn Iterator<Item = Item> + '_> {
        match &self.replay.held {
            ReplayedContents::List(list) => Box::new(list.iter().map(|element| (*element, None))),
            ReplayedContents::Map(map) => Box::new(map.each().map(|(key, value)| (key, Some(value)))),
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => Box::new(std::iter::empty()),
        }
    }

    /// An element of a list.
    pub fn element(&self, at: usize) -> Option<u32> {
        match &self.replay.held {
            ReplayedContents::List(list) => list.get(at).copied(),
            _ => None,
        }
    }

    /// The value of a key of a map; `None` if it has no such key.
    pub fn value_of(&self, key: u32) -> Option<u32> {
        match &self.replay.held {
            ReplayedContents::Map(map) => map.by_key.get(&key).map(|(value, ..)| *value),
            _ => None,
        }
    }

    /// What changed since the last call.
    pub fn take_changes(&mut self) -> ContentsChanges {
        std::mem::take(&mut self.changes)
    }

    fn take(&mut self, recorded: &CollectionChange<'_>, when: EventTime, objects: &Objects) {
        let (at, first, second) = (recorded.number(0), recorded.object(0), recorded.object(1));
        let changes = &mut self.changes;
        match (recorded.change, &mut self.replay.held) {
            (Change::Insert | Change::Remove, ReplayedContents::List(list)) => {
                changes.moved_from = Some(changes.moved_from.map_or(at, |moved| moved.min(at)));
                match recorded.change {
                    Change::Insert => changes.come.push((second, None)),
                    _ => changes.gone.extend(list.get(at).map(|element| (*element, None))),
                }
            }
            (Change::Set, ReplayedContents::List(list)) => {
                changes.replaced.push(at);
                changes.gone.extend(list.get(at).map(|element| (*element, None)));
                changes.come.push((second, None));
            }
            (Change::Put | Change::PutBehind | Change::PutLast, ReplayedContents::Map(map)) => {
                changes.gone.extend(map.by_key.get(&first).map(|(value, ..)| (first, Some(*value))));
                changes.come.push((first, Some(second)));
            }
            (Change::Unput, ReplayedContents::Map(map)) => {
                let key = map.equal_key(first, objects);
                let item = key.and_then(|key| Some((key, Some(map.by_key.get(&key)?.0))));
                changes.gone.extend(item);
            }
            _ => *changes = ContentsChanges { all: true, ..ContentsChanges::default() },
        }
        self.replay.take(recorded, when, objects);
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
        let next = cursor.next;
        cursor.next = self.each_change(cursor.object, next, when, |recorded, at, objects| {
            cursor.take(recorded, at, objects)
        })?;
        cursor.until = when;
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
