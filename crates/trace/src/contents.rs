//! The contents of JDK collections at a given time. They are replayed from the snapshot taken when the
//! collection was first met and from each recorded change.

use super::calls::Calls;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::event_time::EventTime;
use super::objects::Objects;
use super::parts::CONTENTS;
use super::walk::TracedEvent;
use std::collections::{HashMap, VecDeque};
use wire::recording::{Change, Traced};

/// Maximum number of nested views to follow, such as unmodifiable wrappers.
const DEEP: usize = 16;
/// Maximum number of elements read from the array that backs a list.
const MOST: u32 = 1 << 16;

/// The contents of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionContents {
    /// The items, in iteration order as far as it is known; for hashed maps and sets, in insertion order.
    pub items: Items,
    /// The contents may be wrong: the collection was changed by unrecorded code, or a recorded change cannot
    /// be assigned to one map.
    pub unsure: bool,
}

/// The items of a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum Items {
    /// Elements of a list, queue or set; `None` for an unknown element.
    Elements(Vec<Option<Value>>),
    /// Keys and values of a map.
    Pairs(Vec<(Value, Value)>),
}

impl Items {
    /// Number of items.
    pub fn len(&self) -> usize {
        match self {
            Items::Elements(elements) => elements.len(),
            Items::Pairs(pairs) => pairs.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A recorded change of a collection.
#[derive(Clone, Copy, Debug)]
pub struct CollectionChange<'a> {
    /// The collection's object number.
    pub collection: u32,
    /// The kind of change.
    pub change: Change,
    /// The collection's size after the change, if recorded.
    pub size: Option<usize>,
    /// The change's other values, as [`Change`] defines them.
    pub rest: &'a [Value],
}

impl<'a> CollectionChange<'a> {
    fn of(values: &'a [Value]) -> Option<CollectionChange<'a>> {
        let (first, rest) = values.split_first_chunk::<3>()?;
        let [Value::Object(collection), Value::Int(change), Value::Int(size)] = *first else { return None };
        let change = Change::of(u32::try_from(change).ok()?)?;
        Some(CollectionChange { collection, change, size: usize::try_from(size).ok(), rest })
    }

    pub(super) fn object(&self, at: usize) -> u32 {
        match self.rest.get(at) {
            Some(Value::Object(object)) => *object,
            _ => 0,
        }
    }

    /// The items, for a change that records some or all of them.
    fn items(&self) -> impl Iterator<Item = u32> {
        self.rest.get(2..).unwrap_or_default().iter().map(|value| match value {
            Value::Object(object) => *object,
            _ => 0,
        })
    }

    /// The index or count at a position of `rest`; 0 when there is none.
    pub fn number(&self, at: usize) -> usize {
        match self.rest.get(at) {
            Some(Value::Int(number)) => usize::try_from(*number).unwrap_or(0),
            _ => 0,
        }
    }
}

impl TracedEvent<'_> {
    /// The change that this event records, if it records one.
    pub fn collection_change(&self) -> Option<CollectionChange<'_>> {
        if self.site.what == Traced::Contents { CollectionChange::of(self.values) } else { None }
    }
}

/// The place of a change among those of a collection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ChangePlace {
    /// The row of writes.
    row: usize,
    /// The offset in the row's chunk, and the number of changes of the row from there on; `None` at the
    /// begin.
    inside: Option<(u32, u32)>,
}

/// Keys with their values, as a linked list.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    /// By key: its value, the previous key and the next key.
    pub(super) by_key: HashMap<u32, (u32, Option<u32>, Option<u32>)>,
    first: Option<u32>,
    last: Option<u32>,
    /// Once it is needed: the strings and boxes among the keys by what they are. Some may be gone.
    by_content: Option<HashMap<String, u32>>,
    /// The keys that came since then.
    fresh: Vec<u32>,
}

impl Pairs {
    fn put(&mut self, key: u32, value: u32) {
        match self.by_key.get_mut(&key) {
            Some((known, ..)) => *known = value,
            None => self.put_behind(key, value, self.last),
        }
    }

    /// Inserts a key behind another one, or as the first.
    fn put_behind(&mut self, key: u32, value: u32, before: Option<u32>) {
        self.remove(key);
        let before = before.filter(|before| self.by_key.contains_key(before));
        let behind = match before {
            Some(before) => self.by_key.get(&before).and_then(|(.., behind)| *behind),
            None => self.first,
        };
        self.by_key.insert(key, (value, before, behind));
        if self.by_content.is_some() {
            self.fresh.push(key);
        }
        self.join(before, Some(key));
        self.join(Some(key), behind);
    }

    fn remove(&mut self, key: u32) {
        if let Some((_, before, behind)) = self.by_key.remove(&key) {
            self.join(before, behind);
        }
    }

    fn join(&mut self, before: Option<u32>, behind: Option<u32>) {
        match before.and_then(|key| self.by_key.get_mut(&key)) {
            Some((.., to)) => *to = behind,
            None => self.first = behind,
        }
        match behind.and_then(|key| self.by_key.get_mut(&key)) {
            Some((_, to, _)) => *to = before,
            None => self.last = before,
        }
    }

    /// The key that is this object, or an equal string or box.
    pub(super) fn equal_key(&mut self, key: u32, objects: &Objects) -> Option<u32> {
        if self.by_key.contains_key(&key) {
            return Some(key);
        }
        let wanted = plain_content(objects, key)?;
        let keys = match self.by_content {
            Some(_) => std::mem::take(&mut self.fresh),
            None => self.by_key.keys().copied().collect(),
        };
        let by_content = self.by_content.get_or_insert_default();
        by_content.extend(keys.into_iter().filter_map(|key| Some((plain_content(objects, key)?, key))));
        by_content.get(&wanted).copied().filter(|key| self.by_key.contains_key(key))
    }

    pub(super) fn each(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let key = next?;
            let (value, _, behind) = self.by_key.get(&key)?;
            next = *behind;
            Some((key, *value))
        })
    }
}

/// The state of a collection during the replay.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ReplayedContents {
    /// No snapshot was recorded yet.
    Unknown,
    List(VecDeque<u32>),
    Map(Pairs),
    /// A view of another object. The flag is true for a map's key set.
    Backed(u32, bool),
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Replay {
    pub(super) held: ReplayedContents,
    pub(super) unsure: bool,
    /// For a collection backed by a program's array: the recorded element of each index and its time. Later
    /// writes to the array may have replaced it.
    through: HashMap<usize, (u32, EventTime)>,
}

impl Replay {
    pub(super) fn new() -> Replay {
        Replay { held: ReplayedContents::Unknown, unsure: false, through: HashMap::new() }
    }

    pub(super) fn take(&mut self, recorded: &CollectionChange<'_>, when: EventTime, objects: &Objects) {
        let (first, second) = (recorded.object(0), recorded.object(1));
        match (recorded.change, &mut self.held) {
            (Change::AllOfList, ReplayedContents::Backed(..)) => {
                let from = recorded.number(0);
                let items = recorded.items().enumerate().map(|(at, item)| (from + at, (item, when)));
                self.through.extend(items);
                return;
            }
            (Change::Set, ReplayedContents::Backed(..)) => {
                self.through.insert(recorded.number(0), (second, when));
                return;
            }
            (Change::AllOfList | Change::AllOfMap, _) => return self.all(recorded),
            (Change::Backed, held) => {
                *held = ReplayedContents::Backed(first, recorded.rest.get(1) == Some(&Value::Int(1)));
                return;
            }
            (Change::Clear, ReplayedContents::List(list)) => list.clear(),
            (Change::Clear, ReplayedContents::Map(map)) => *map = Pairs::default(),
            (Change::Insert, ReplayedContents::List(list)) if recorded.number(0) <= list.len() => {
                list.insert(recorded.number(0), second);
            }
            (Change::Set, ReplayedContents::List(list)) => match list.get_mut(recorded.number(0)) {
                Some(element) => *element = second,
                None => self.unsure = true,
            },
            (Change::Remove, ReplayedContents::List(list)) => {
                self.unsure |= list.remove(recorded.number(0)).is_none();
            }
            (Change::Take, ReplayedContents::List(list)) => {
                match list.iter().position(|known| *known == first) {
                    Some(at) => drop(list.remove(at)),
                    None => self.unsure = true,
                }
            }
            (Change::Put, ReplayedContents::Map(map)) => map.put(first, second),
            (Change::PutLast, ReplayedContents::Map(map)) => {
                map.remove(first);
                map.put(first, second);
            }
            (Change::PutBehind, ReplayedContents::Map(map)) => {
                let before = recorded.number(2) == 1;
                map.put_behind(first, second, before.then(|| recorded.object(3)));
            }
            (Change::Unput, ReplayedContents::Map(map)) => {
                if let Some(key) = map.equal_key(first, objects) {
                    map.remove(key);
                }
            }
            _ => self.unsure = true,
        }
        let held = match &self.held {
            ReplayedContents::List(list) => list.len(),
            ReplayedContents::Map(map) => map.by_key.len(),
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => return,
        };
        self.unsure |= recorded.size.is_some_and(|size| size != held);
    }

    /// Applies one piece of a snapshot, which replaces the previous contents.
    fn all(&mut self, recorded: &CollectionChange<'_>) {
        let items = recorded.items();
        if recorded.number(0) == 0 {
            self.unsure = false;
            self.held = match recorded.change {
                Change::AllOfMap => ReplayedContents::Map(Pairs::default()),
                _ => ReplayedContents::List(VecDeque::new()),
            };
        }
        match &mut self.held {
            ReplayedContents::List(list) => list.extend(items),
            ReplayedContents::Map(map) => {
                let items: Vec<u32> = items.collect();
                for (key, value) in items.as_chunks::<2>().0.iter().map(|[key, value]| (*key, *value)) {
                    map.put(key, value);
                }
            }
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => self.unsure = true,
        }
    }
}

/// What is the same of objects that are equal regardless of program code: strings, or boxes of one class.
fn plain_content(objects: &Objects, object: u32) -> Option<String> {
    match objects.text_of(object) {
        Some(text) => Some(format!("{} {}", text.length, text.begins)),
        None if objects.is_box(object) => {
            Some(format!("{:?} {}", objects.class(object), objects.show(object)))
        }
        None => None,
    }
}

impl Calls {
    /// The contents of a JDK collection at a given time; `None` if the object is no collection or was not yet
    /// recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn contents(
        &mut self,
        object: u32,
        when: EventTime,
    ) -> Result<Option<CollectionContents>, TraceError> {
        let (mut at, mut keys, mut unsure) = (object, false, false);
        let mut through = HashMap::new();
        for _ in 0..DEEP {
            if at != object && self.objects.is_array(at) {
                unsure |= self.objects.length_of(at).is_none_or(|length| length > MOST);
                let items = Items::Elements(self.elements_at(at, &through, when)?);
                return Ok(Some(CollectionContents { items, unsure }));
            }
            let replay = self.replay(at, when)?;
            unsure |= replay.unsure;
            match replay.held {
                ReplayedContents::Unknown => return Ok(None),
                ReplayedContents::Backed(inner, of_keys) => {
                    (at, keys) = (inner, keys | of_keys);
                    through = replay.through;
                }
                ReplayedContents::List(list) => {
                    let elements = list.into_iter().map(|element| Some(Value::Object(element)));
                    return Ok(Some(CollectionContents {
                        items: Items::Elements(elements.collect()),
                        unsure,
                    }));
                }
                ReplayedContents::Map(map) => {
                    unsure |= self.is_doubtful(&map, when)?;
                    let items = match keys {
                        true => {
                            Items::Elements(map.each().map(|(key, _)| Some(Value::Object(key))).collect())
                        }
                        false => Items::Pairs(
                            map.each().map(|(key, of)| (Value::Object(key), Value::Object(of))).collect(),
                        ),
                    };
                    return Ok(Some(CollectionContents { items, unsure }));
                }
            }
        }
        Ok(None)
    }

    /// The collection or array that a view shows, or that a set or wrapper stores its contents in; `None` if
    /// the object is none of these.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn backing(&mut self, object: u32, when: EventTime) -> Result<Option<u32>, TraceError> {
        if !self.has_contents(object)? {
            return Ok(None);
        }
        Ok(match self.replay(object, when)?.held {
            ReplayedContents::Backed(inner, _) => Some(inner),
            _ => None,
        })
    }

    /// Whether contents of an object were recorded.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn has_contents(&self, object: u32) -> Result<bool, TraceError> {
        Ok(object != 0 && self.is_ever_written(object, CONTENTS)?)
    }

    fn replay(&mut self, object: u32, when: EventTime) -> Result<Replay, TraceError> {
        let mut replay = Replay::new();
        let begin = ChangePlace::default();
        self.each_change(object, begin, when, |recorded, at, objects| replay.take(recorded, at, objects))?;
        Ok(replay)
    }

    /// Whether a value of the map may be stale: it was written through an entry whose map is unknown.
    pub(super) fn is_doubtful(&mut self, map: &Pairs, when: EventTime) -> Result<bool, TraceError> {
        let mut is_doubtful = false;
        self.each_change(0, ChangePlace::default(), when, |recorded, _, _| {
            let [key, value] = [recorded.object(0), recorded.object(1)];
            is_doubtful |= map.by_key.get(&key).is_some_and(|(known, ..)| *known != value);
        })?;
        Ok(is_doubtful)
    }

    /// Visits the recorded changes of a collection before a given time, from a place on. Returns the place of
    /// the change that follows.
    pub(super) fn each_change(
        &mut self,
        object: u32,
        since: ChangePlace,
        when: EventTime,
        mut visit: impl FnMut(&CollectionChange<'_>, EventTime, &Objects),
    ) -> Result<ChangePlace, TraceError> {
        let mut values = Vec::new();
        let rows = self.write_rows(object, CONTENTS)?;
        for row in since.row.max(rows.start)..rows.end {
            let writes = self.writes_in(row);
            if writes.first >= when {
                return Ok(ChangePlace { row, inside: None });
            }
            let (chunk, first) = writes.first.place;
            let (from, mut left) = since.inside.filter(|_| row == since.row).unwrap_or((first, writes.count));
            let events = self.chunk(chunk)?;
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            let mut decoder = Decoder::from(&self.sites, &events, from);
            while left > 0 {
                let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
                let Ok(Some(event)) = decoder.next(&mut values, None) else { break };
                if !matches!(event, Event::At(site) if site.what == Traced::Contents) {
                    continue;
                }
                let Some(recorded) =
                    CollectionChange::of(&values).filter(|recorded| recorded.collection == object)
                else {
                    continue;
                };
                let is_at = EventTime { place: (chunk, at), ..writes.first };
                if is_at >= when {
                    return Ok(ChangePlace { row, inside: Some((at, left)) });
                }
                left -= 1;
                visit(&recorded, is_at, &self.objects);
            }
        }
        Ok(ChangePlace { row: rows.end, inside: None })
    }

    /// The elements of an array, as far as a write or a snapshot recorded them.
    fn elements_at(
        &mut self,
        array: u32,
        through: &HashMap<usize, (u32, EventTime)>,
        when: EventTime,
    ) -> Result<Vec<Option<Value>>, TraceError> {
        let length = self.objects.length_of(array).unwrap_or(0).min(MOST);
        let element = |index: u32| {
            let written = usize::try_from(index).ok().and_then(|index| through.get(&index)).copied();
            match written {
                Some((element, since)) if !self.is_written(array, index, since, when)? => {
                    Ok(Some(Value::Object(element)))
                }
                _ => self.part_at(array, index, when),
            }
        };
        (0..length).map(element).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(numbers: &[u32]) -> Vec<Value> {
        numbers.iter().map(|number| Value::Object(*number)).collect()
    }

    fn list(replay: &Replay) -> Vec<u32> {
        match &replay.held {
            ReplayedContents::List(list) => list.iter().copied().collect(),
            ReplayedContents::Map(map) => map.each().flat_map(|(key, value)| [key, value]).collect(),
            ReplayedContents::Unknown | ReplayedContents::Backed(..) => Vec::new(),
        }
    }

    fn take(replay: &mut Replay, change: Change, size: usize, rest: &[Value]) {
        let recorded = CollectionChange { collection: 1, change, size: Some(size), rest };
        replay.take(&recorded, EventTime::BEGIN, &super::super::objects::no_objects());
    }

    fn at(index: i32, element: u32) -> [Value; 2] {
        [Value::Int(index), Value::Object(element)]
    }

    fn all(from: i32, numbers: &[u32]) -> Vec<Value> {
        let many = i32::try_from(numbers.len()).unwrap();
        [vec![Value::Int(from), Value::Int(many)], words(numbers)].concat()
    }

    #[test]
    fn a_list_is_replayed() {
        let mut replay = Replay::new();
        take(&mut replay, Change::AllOfList, 3, &all(0, &[11, 12]));
        take(&mut replay, Change::AllOfList, 3, &all(2, &[13]));
        take(&mut replay, Change::Insert, 4, &at(1, 20));
        take(&mut replay, Change::Set, 4, &at(0, 21));
        take(&mut replay, Change::Remove, 3, &[Value::Int(3)]);
        take(&mut replay, Change::Take, 2, &words(&[20]));
        assert_eq!((list(&replay), replay.unsure), (vec![21, 12], false));
        // An element was inserted by unrecorded code.
        take(&mut replay, Change::Insert, 4, &at(2, 30));
        assert!(replay.unsure);
        take(&mut replay, Change::AllOfList, 1, &all(0, &[5]));
        take(&mut replay, Change::Clear, 0, &[]);
        assert_eq!((list(&replay), replay.unsure), (vec![], false));
    }

    #[test]
    fn a_map_is_replayed_in_its_order() {
        let mut replay = Replay::new();
        take(&mut replay, Change::AllOfMap, 1, &all(0, &[5, 50]));
        take(&mut replay, Change::Put, 2, &words(&[7, 70]));
        let behind = |key, value, before: Option<u32>| {
            let is = i32::from(before.is_some());
            [words(&[key, value]), vec![Value::Int(is), Value::Object(before.unwrap_or(0))]].concat()
        };
        take(&mut replay, Change::PutBehind, 3, &behind(6, 60, Some(5)));
        take(&mut replay, Change::PutBehind, 4, &behind(4, 40, None));
        take(&mut replay, Change::Put, 4, &words(&[6, 61]));
        assert_eq!(list(&replay), [4, 40, 5, 50, 6, 61, 7, 70]);
        take(&mut replay, Change::PutLast, 4, &words(&[4, 41]));
        take(&mut replay, Change::Unput, 3, &words(&[7]));
        assert_eq!((list(&replay), replay.unsure), (vec![5, 50, 6, 61, 4, 41], false));
        take(&mut replay, Change::Unput, 1, &words(&[6]));
        assert!(replay.unsure);
    }

    #[test]
    fn a_change_without_a_snapshot_leaves_the_contents_unknown() {
        let mut replay = Replay::new();
        take(&mut replay, Change::Insert, 1, &at(0, 20));
        assert_eq!((replay.held, replay.unsure), (ReplayedContents::Unknown, true));
    }
}
