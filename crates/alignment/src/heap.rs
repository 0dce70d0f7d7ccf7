//! What the recorded writes of a run left in fields, elements and collections, up to the current step.

use super::hashed::NumberMap;
use std::collections::BTreeMap;
use trace::{CONTENTS, TEXT, Value};

/// A place: an object (0 for static fields), and the shared number of a field, the index of an element,
/// [`CONTENTS`] or [`TEXT`].
pub type Place = (u32, u32);

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    /// A value.
    Value(Value),
    /// Something that differs between runs of the same version. It is never compared.
    Varies,
    /// The contents of a collection or a text, which the recording knows.
    Contents,
}

/// A write to a place, with what it replaced if that is known.
#[derive(Clone, Copy, Debug)]
pub struct LoggedWrite {
    /// The place.
    pub place: Place,
    /// What the place held before.
    pub before: Option<Held>,
}

/// The written places of a run.
#[derive(Default)]
pub struct Heap {
    places: NumberMap<Place, Held>,
    /// The written places of each object.
    parts: NumberMap<u32, Vec<u32>>,
    /// The parts of each object that held another object.
    references: NumberMap<u32, Vec<u32>>,
    /// The objects that were put into each collection.
    inside: NumberMap<u32, Vec<u32>>,
    /// Objects that were stored where other code finds them, by the number of writes up to that one.
    shared: NumberMap<u32, usize>,
    log: Vec<LoggedWrite>,
    /// By the number of the first write of some calls: the number after their last one, and the writes that
    /// calls around them still have to compare.
    gathered: BTreeMap<usize, (usize, Vec<LoggedWrite>)>,
}

impl Heap {
    /// Writes to a place. `before` is what the event recorded as replaced.
    pub fn write(&mut self, place: Place, before: Option<Value>, now: Held) {
        let known = self.places.insert(place, now);
        if known.is_none() {
            self.parts.entry(place.0).or_default().push(place.1);
        }
        let is_reference = |held: &Held| matches!(held, Held::Value(Value::Object(_)));
        if is_reference(&now) && !known.as_ref().is_some_and(is_reference) {
            self.references.entry(place.0).or_default().push(place.1);
        }
        self.log.push(LoggedWrite { place, before: known.or(before.map(Held::Value)) });
    }

    /// Notes that the contents of a collection changed, and which objects it may contain now.
    pub fn change_contents(&mut self, collection: u32, varies: bool, objects: impl Iterator<Item = u32>) {
        let now = if varies { Held::Varies } else { Held::Contents };
        self.write((collection, CONTENTS), None, now);
        self.inside.entry(collection).or_default().extend(objects);
    }

    /// Notes that a text changed.
    pub fn change_text(&mut self, text: u32, varies: bool) {
        self.write((text, TEXT), None, if varies { Held::Varies } else { Held::Contents });
    }

    /// Notes that the next write stores an object, with all that it refers to, where other code finds it.
    pub fn share(&mut self, object: u32) {
        if object == 0 || self.shared.contains_key(&object) {
            return;
        }
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            if object != 0 && !self.shared.contains_key(&object) {
                self.shared.insert(object, self.log.len() + 1);
                open.extend(self.referred(object));
            }
        }
    }

    /// Whether one of this number of first writes has stored an object where other code finds it.
    pub fn was_shared(&self, object: u32, writes: usize) -> bool {
        self.shared.get(&object).is_some_and(|since| *since <= writes)
    }

    /// What a place holds; `None` if no write was recorded.
    pub fn held(&self, place: Place) -> Option<Held> {
        self.places.get(&place).copied()
    }

    /// The written parts of an object.
    pub fn parts(&self, object: u32) -> &[u32] {
        self.parts.get(&object).map_or(&[], Vec::as_slice)
    }

    /// Number of writes so far.
    pub fn writes(&self) -> usize {
        self.log.len()
    }

    /// The writes from one number to another.
    pub fn writes_between(&self, first: usize, end: usize) -> &[LoggedWrite] {
        self.log.get(first..end).unwrap_or_default()
    }

    /// The writes from a number on, without those that [`Heap::gather`] left out.
    pub fn writes_from(&self, first: usize) -> Vec<LoggedWrite> {
        let (mut all, mut at) = (Vec::new(), first);
        for (from, (end, left)) in self.gathered.range(first..) {
            all.extend_from_slice(self.writes_between(at, *from));
            all.extend_from_slice(left);
            at = *end;
        }
        all.extend_from_slice(self.writes_between(at, self.log.len()));
        all
    }

    /// Lets these writes stand for all from a number on: the calls that made them are compared, and each call
    /// around them would go through all of them again.
    pub fn gather(&mut self, first: usize, left: Vec<LoggedWrite>) {
        drop(self.gathered.split_off(&first));
        self.gathered.insert(first, (self.log.len(), left));
    }

    /// The objects that an object refers to, as far as that was recorded.
    pub fn referred(&self, object: u32) -> impl Iterator<Item = u32> {
        let references = self.references.get(&object).into_iter().flatten();
        let by_part = references.filter_map(move |part| match self.held((object, *part)) {
            Some(Held::Value(Value::Object(inner))) => Some(inner),
            _ => None,
        });
        by_part.chain(self.inside.get(&object).into_iter().flatten().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_of_compared_calls_are_gathered_once() {
        let mut heap = Heap::default();
        let write = |heap: &mut Heap, place| heap.write(place, None, Held::Value(Value::Int(1)));
        let places = |heap: &Heap, first| {
            heap.writes_from(first).iter().map(|write| write.place.0).collect::<Vec<_>>()
        };
        (1..=6).for_each(|object| write(&mut heap, (object, 0)));
        let left = heap.writes_from(2).split_off(3);
        heap.gather(2, left);
        write(&mut heap, (7, 0));
        assert_eq!(places(&heap, 0), [1, 2, 6, 7]);
        assert_eq!(places(&heap, 6), [7]);
        heap.gather(6, Vec::new());
        assert_eq!(places(&heap, 1), [2, 6]);
        heap.gather(1, Vec::new());
        write(&mut heap, (8, 0));
        assert_eq!(places(&heap, 0), [1, 8]);
    }
}
