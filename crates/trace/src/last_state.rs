//! What a part of a recording left: the last write to each field and element, and the changes that make the
//! contents of collections and texts. [`LastState::reached`] keeps what later events can reach.

use super::decode::Value;
use super::event_time::{ChunkOffset, EventTime};
use super::object_set::ObjectSet;
use super::parts::{CONTENTS, CREATION, TEXT};
use foldhash::fast::FixedState;
use std::collections::{HashMap, VecDeque};
use wire::recording::{Change, TextEffect};

/// Maximum number of changes of a collection or text that are kept. With more, its contents are unknown.
const CHANGES: usize = 1 << 16;
/// Bytes of memory of a location or a change, about.
const ENTRY: usize = 64;

/// The contents are unknown up to the end.
const NEVER: Option<EventTime> = Some(EventTime::END);

/// A write: its time, the new reference and the one that it replaced, 0 for other values.
#[derive(Clone, Copy)]
struct Write {
    when: EventTime,
    new: u32,
    old: u32,
}

/// The changes of a collection or text, from one on that tells all.
#[derive(Default)]
struct Changes {
    /// The early ones.
    when: Vec<EventTime>,
    later: Vec<EventTime>,
    /// The objects that they name.
    objects: Vec<u32>,
    /// The collection has its elements in another object.
    is_backed: bool,
    /// One of the changes tells all.
    has_begun: bool,
    /// Early ones up to this time were given up. If there is none that tells all since then, the contents are
    /// unknown.
    lost: Option<EventTime>,
}

/// What a part of a recording left.
pub struct LastState {
    /// The last turn whose events come before everything that is kept.
    early: u64,
    /// The objects that the kept part names.
    kept: ObjectSet,
    /// By object and part: the last early write.
    last: HashMap<u64, Write, FixedState>,
    /// All later writes.
    later: Vec<(u64, Write)>,
    /// By object and [`CONTENTS`] or [`TEXT`].
    changes: HashMap<u64, Changes, FixedState>,
    /// The objects that the description of an object names.
    described: HashMap<u32, Vec<u32>, FixedState>,
    /// Objects with a field that was written before they were known.
    preset: ObjectSet,
    /// Objects that were given up. Of these, earlier events of other threads can follow.
    lost: ObjectSet,
    /// Number of changes.
    count: usize,
    /// Maximum number of entries.
    most: usize,
    /// Whether something was given up that can be reached.
    is_limited: bool,
}

/// What is kept of a state.
pub struct ReachedState {
    /// The objects to describe.
    pub objects: ObjectSet,
    /// The places of the events to keep, in ascending order.
    pub events: Vec<ChunkOffset>,
    /// Whether some were left out for want of room.
    pub is_limited: bool,
}

fn key(object: u32, part: u32) -> u64 {
    u64::from(object) << 32 | u64::from(part)
}

fn object_of(key: u64) -> u32 {
    u32::try_from(key >> 32).unwrap_or(0)
}

/// The object of a reference, otherwise 0.
pub fn reference(value: Option<&Value>) -> u32 {
    match value {
        Some(Value::Object(object)) => *object,
        _ => 0,
    }
}

impl LastState {
    /// Before the first event. Turns up to `early` come before everything that is kept, which names the
    /// objects `kept`. Takes at most about `memory` bytes.
    pub fn new(early: u64, kept: ObjectSet, memory: usize) -> LastState {
        LastState {
            early,
            kept,
            last: HashMap::default(),
            later: Vec::new(),
            changes: HashMap::default(),
            described: HashMap::default(),
            preset: ObjectSet::default(),
            lost: ObjectSet::default(),
            count: 0,
            most: (memory / ENTRY).max(1),
            is_limited: false,
        }
    }

    /// The kept part names these objects too.
    pub fn keep(&mut self, objects: impl IntoIterator<Item = u32>) {
        for object in objects {
            self.kept.insert(object);
        }
    }

    /// An object whose description names others.
    pub fn describe(&mut self, object: u32, names: impl Iterator<Item = u32>) {
        let names: Vec<u32> = names.filter(|name| *name != 0).collect();
        if !names.is_empty() {
            self.described.insert(object, names);
        }
    }

    /// A write to a part of an object, with the values of its event.
    pub fn write(&mut self, object: u32, part: u32, when: EventTime, values: &[Value]) {
        let (new, old) = match part {
            CREATION => (0, 0),
            _ => (reference(values.last()), reference(values.iter().rev().nth(1))),
        };
        let write = Write { when, new, old };
        if when.turn > self.early {
            self.later.push((key(object, part), write));
        } else if !self.lost.contains(object) {
            let last = self.last.entry(key(object, part)).or_insert(write);
            if last.when <= when {
                *last = write;
            }
        }
    }

    /// A field of an object was written at an unknown time, before the object was known.
    pub fn preset(&mut self, object: u32) {
        self.preset.insert(object);
    }

    /// A change of the contents of a collection.
    pub fn contents(&mut self, when: EventTime, values: &[Value]) {
        let [Value::Object(collection), Value::Int(change), _, rest @ ..] = values else { return };
        let changes = self.changes.entry(key(*collection, CONTENTS)).or_default();
        let change = Change::of(change.cast_unsigned());
        let begins = match change {
            // Otherwise another event has told the first ones.
            Some(Change::AllOfList | Change::AllOfMap) => {
                rest.first() == Some(&Value::Int(0)) && !changes.is_backed
            }
            change => change == Some(Change::Backed),
        };
        changes.is_backed |= change == Some(Change::Backed);
        changes.has_begun |= begins || *collection == 0;
        changes.lost = if self.lost.contains(*collection) { NEVER } else { changes.lost };
        self.count += changes.add(begins, when, self.early, rest);
    }

    /// A change of a text.
    pub fn text(&mut self, when: EventTime, values: &[Value]) {
        let [Value::Object(object), Value::Int(what), _, rest @ ..] = values else { return };
        let begins = match TextEffect::of(what.cast_unsigned() & 0xff) {
            // A stream has no text, and what was printed before is dropped.
            Some(TextEffect::Print) | None => return,
            Some(TextEffect::Whole | TextEffect::SameAs) => true,
            Some(TextEffect::Edit) => false,
        };
        let changes = self.changes.entry(key(*object, TEXT)).or_default();
        changes.has_begun |= begins;
        changes.lost = if self.lost.contains(*object) { NEVER } else { changes.lost };
        // Only the object with the same text is a reference.
        self.count += changes.add(begins, when, self.early, rest);
    }

    /// Gives up what nothing can reach, when there is too much. Objects in the `making` are kept whole:
    /// readers take what is not written of an object for its default, once its creation is recorded.
    pub fn fit(&mut self, making: impl Iterator<Item = u32>) {
        if self.last.len() + self.later.len() + self.count <= self.most {
            return;
        }
        let (found, is_limited) = self.spread(making, self.most / 2);
        self.is_limited |= is_limited;
        let lost = &mut self.lost;
        let mut is_kept = |key: &u64| {
            let is_kept = *key >> 32 == 0 || found.expanded.contains(object_of(*key));
            is_kept || {
                lost.insert(object_of(*key));
                false
            }
        };
        self.last.retain(|key, _| is_kept(key));
        self.changes.retain(|key, _| is_kept(key));
        self.described.retain(|object, _| found.reached.contains(*object));
        self.count = self.changes.values().map(|changes| changes.when.len()).sum();
        // Otherwise nothing would be gained.
        self.most = self.most.max(2 * (self.last.len() + self.later.len() + self.count));
    }

    /// Whether one of the objects was given up.
    pub fn has_lost(&self, mut objects: impl Iterator<Item = u32>) -> bool {
        objects.any(|object| self.lost.contains(object))
    }

    /// What the kept part can reach: at most about `most` events. `making` is as for [`LastState::fit`].
    pub fn reached(mut self, most: usize, making: impl Iterator<Item = u32>) -> ReachedState {
        let (found, is_limited) = self.spread(making, most);
        let is_limited = is_limited || self.is_limited;
        let mut objects = found.reached;
        let mut events = Vec::new();
        let all = self.last.drain().chain(std::mem::take(&mut self.later));
        for (key, write) in all.filter(|(key, _)| found.expanded.contains(object_of(*key)) || *key >> 32 == 0)
        {
            let is_creation = key & u64::from(u32::MAX) == u64::from(CREATION);
            if is_creation && self.preset.contains(object_of(key)) {
                // A field without a write need not have its default value.
                continue;
            }
            objects.insert(write.old);
            events.push(write.when.place);
        }
        // Changes of unknown maps make the values of all maps doubtful.
        let is_doubtful = self.changes.get(&key(0, CONTENTS)).is_some_and(|changes| changes.lost.is_some());
        for (key, changes) in &self.changes {
            let is_text = key & u64::from(u32::MAX) == u64::from(TEXT);
            let is_known = changes.has_begun && changes.lost.is_none() && (is_text || !is_doubtful);
            if found.expanded.contains(object_of(*key)) || *key >> 32 == 0 {
                let early = changes.when.iter().filter(|_| is_known);
                events.extend(early.chain(&changes.later).map(|when| when.place));
            }
        }
        events.sort_unstable();
        ReachedState { objects, events, is_limited }
    }

    /// Follows references from what the kept part names, the nearest first, as far as `most` events allow.
    fn spread(&self, making: impl Iterator<Item = u32>, most: usize) -> (Spread, bool) {
        // A row for each event: its key, and the object to which it leads.
        let mut rows: Vec<(u64, u32)> = self.last.iter().map(|(key, write)| (*key, write.new)).collect();
        rows.extend(self.later.iter().map(|(key, write)| (*key, write.new)));
        rows.sort_unstable();
        let mut of_changes: Vec<u64> = self.changes.keys().copied().collect();
        of_changes.sort_unstable();
        let (mut found, mut count, mut whole) = (Spread::default(), 0, ObjectSet::default());
        // The statics come first.
        let mut queue: VecDeque<u32> = [0].into();
        // The kept part can have events before the later ones, which would seem to be the last.
        let later = self.later.iter().map(|(key, _)| *key);
        let changed = self.changes.iter().filter(|(_, changes)| !changes.later.is_empty());
        let later = later.chain(changed.map(|(key, _)| *key)).map(object_of);
        for object in making.chain(later) {
            whole.insert(object);
        }
        for object in whole.iter().chain(self.kept.iter()) {
            if found.reached.insert(object) {
                queue.push_back(object);
            }
        }
        let mut is_limited = false;
        while let Some(object) = queue.pop_front() {
            let (from, to) = (key(object, 0), key(object, u32::MAX));
            let of = |at: usize, next: usize| rows.get(at..next).unwrap_or_default();
            let rows =
                of(rows.partition_point(|(key, _)| *key < from), rows.partition_point(|(key, _)| *key <= to));
            let begin = of_changes.partition_point(|key| *key < from);
            let changes = of_changes.iter().skip(begin).take_while(|key| **key <= to);
            let changes: Vec<&Changes> = changes.filter_map(|key| self.changes.get(key)).collect();
            let own = rows.len() + changes.iter().map(|changes| changes.when.len()).sum::<usize>();
            let mut next: Vec<u32> = self.described.get(&object).cloned().unwrap_or_default();
            let is_whole = object == 0 || whole.contains(object);
            if own > 0 && count + own > most && !is_whole {
                is_limited = true;
            } else {
                count += own;
                found.expanded.insert(object);
                next.extend(rows.iter().map(|(_, to)| *to));
                next.extend(changes.iter().flat_map(|changes| &changes.objects));
            }
            for object in next {
                if found.reached.insert(object) {
                    queue.push_back(object);
                }
            }
        }
        (found, is_limited)
    }
}

/// The objects that can be reached, and those of them whose events are kept.
#[derive(Default)]
struct Spread {
    reached: ObjectSet,
    expanded: ObjectSet,
}

impl Changes {
    /// Adds a change, which is early up to a turn. If it `begins` the contents, earlier ones no longer count.
    /// Returns by how many there are more, at most.
    fn add(&mut self, begins: bool, when: EventTime, early: u64, values: &[Value]) -> usize {
        let is_early = when.turn <= early;
        if begins && is_early {
            self.when.retain(|known| *known > when);
            self.lost = self.lost.filter(|lost| *lost > when);
            // Those of later changes are named by these.
            if self.when.is_empty() && self.later.is_empty() {
                self.objects.clear();
            }
        }
        if is_early && (self.lost.is_some() || self.when.len() >= CHANGES) {
            let last = std::mem::take(&mut self.when).into_iter().chain(self.lost).max();
            self.lost = last.max(Some(when));
            return 0;
        }
        if is_early { &mut self.when } else { &mut self.later }.push(when);
        self.objects.extend(values.iter().map(|value| reference(Some(value))).filter(|object| *object != 0));
        1
    }
}
