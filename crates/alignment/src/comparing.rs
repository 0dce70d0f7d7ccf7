//! Compares collections that grow: what was the same when they were compared before is not compared again.

use super::any_order::ComparedEntries;
use super::collections::{Collections, ComparedPair};
use super::correspondence::Sameness;
use super::state::State;
use std::ops::Range;
use std::rc::Rc;
use trace::{CollectionContents, ContentsCursor, EventTime, Item, TraceError, Value};

/// The result of a comparison.
pub enum Compared {
    Different,
    /// They are the same if these values are. Then call [`Collections::are_same`].
    IfSame(Vec<(Value, Value)>),
}

/// Compares two lists or maps at these times. `pairs` is the number of pairs of objects when the calls began.
/// `None` if they are no such collections, or are compared in any order.
///
/// # Errors
/// The events cannot be read.
pub fn compare(
    state: &mut State<'_>,
    pairs: usize,
    ended: [EventTime; 2],
    here: u32,
    there: u32,
) -> Result<Option<Compared>, TraceError> {
    let mut taken = std::mem::take(&mut state.collections);
    let compared = taken.compare(state, pairs, ended, here, there);
    state.collections = taken;
    compared
}

impl Collections {
    fn advance(
        &mut self,
        state: &mut State<'_>,
        side: usize,
        object: u32,
        when: EventTime,
    ) -> Result<&mut ContentsCursor, TraceError> {
        let cursor = self.cursors[side].entry(object).or_insert_with(|| ContentsCursor::new(object));
        state.runs[side].calls.advance(cursor, when)?;
        Ok(cursor)
    }

    fn compare(
        &mut self,
        state: &mut State<'_>,
        pairs: usize,
        ended: [EventTime; 2],
        here: u32,
        there: u32,
    ) -> Result<Option<Compared>, TraceError> {
        let known = self.pairs.remove(&here).filter(|pair| pair.there == there);
        let is_new = known.is_none();
        let mut pair = known.unwrap_or_default();
        pair.there = there;
        let mut lengths = [None; 2];
        for (side, object) in [(0, here), (1, there)] {
            let cursor = self.advance(state, side, object, ended[side])?;
            let mut changes = cursor.take_changes();
            changes.all |= is_new;
            lengths[side] = cursor.item_count();
            if cursor.is_map() || changes.all {
                pair.maps.take(state, side, &changes, cursor);
            }
            pair.same = pair.same.min(if changes.all { 0 } else { changes.moved_from.unwrap_or(usize::MAX) });
            pair.replaced.extend(changes.replaced);
        }
        let compared = self.compared(state, pairs, here, there, lengths, &mut pair);
        self.pairs.insert(here, pair);
        compared
    }

    fn compared(
        &self,
        state: &mut State<'_>,
        pairs: usize,
        here: u32,
        there: u32,
        lengths: [Option<usize>; 2],
        pair: &mut ComparedPair,
    ) -> Result<Option<Compared>, TraceError> {
        let (Some(one), Some(other)) = (self.cursors[0].get(&here), self.cursors[1].get(&there)) else {
            return Ok(None);
        };
        let [Some(length), Some(other_length)] = lengths else { return Ok(None) };
        for (side, cursor) in [(0, one), (1, other)] {
            if state.runs[side].calls.is_stale(cursor)? {
                return Ok(None);
            }
        }
        if length != other_length || one.is_map() != other.is_map() {
            return Ok(Some(Compared::Different));
        }
        let is_set = state.runs[0].calls.objects.class(here).is_some_and(|class| class.contains("Set"));
        if pair.pairs > pairs {
            let mut maps = std::mem::take(&mut pair.maps);
            maps.open_all();
            *pair = ComparedPair { there, maps, ..ComparedPair::default() };
        }
        let was_in_part = state.take_in_part();
        let result = match one.is_map() {
            true => pair.entries(state, [one, other]),
            false => match pair.elements(state, [one, other], length) {
                // The elements can stand at other places.
                Some(Compared::Different) if is_set => None,
                compared => compared,
            },
        };
        pair.in_part |= state.take_in_part();
        if was_in_part || pair.in_part {
            state.is_same_in_part();
        }
        Ok(result)
    }

    fn contents_before(
        &mut self,
        state: &mut State<'_>,
        side: usize,
        object: u32,
        when: EventTime,
    ) -> Result<Option<Rc<CollectionContents>>, TraceError> {
        match self.before.get(&(side, object)) {
            Some((then, known)) if *then == when => Ok(known.clone()),
            _ => {
                let contents = state.runs[side].calls.contents(object, when)?.map(Rc::new);
                self.before.insert((side, object), (when, contents.clone()));
                Ok(contents)
            }
        }
    }
}

impl ComparedPair {
    /// The entries of two maps that must be the same, as far as that is not known.
    fn entries(&mut self, state: &mut State<'_>, cursors: [&ContentsCursor; 2]) -> Option<Compared> {
        Some(match self.maps.compare(state, cursors)? {
            ComparedEntries::Different => Compared::Different,
            ComparedEntries::IfSame(found) => {
                found.iter().for_each(|(one, _)| self.note(state, *one));
                let value = |(one, other)| (Value::Object(one), Value::Object(other));
                Compared::IfSame(found.into_iter().map(value).collect())
            }
        })
    }

    /// The elements of two lists that must be the same, as far as that is not known.
    fn elements(
        &mut self,
        state: &mut State<'_>,
        cursors: [&ContentsCursor; 2],
        length: usize,
    ) -> Option<Compared> {
        let values = |at: usize| {
            let [one, other] = [cursors[0].element(at)?, cursors[1].element(at)?];
            Some((Value::Object(one), Value::Object(other)))
        };
        let differs = |state: &mut State<'_>, at: usize| {
            values(at).is_some_and(|(one, other)| state.compare(one, other) == Sameness::Different)
        };
        if self.differing.is_some_and(|at| at < length && differs(state, at)) {
            return Some(Compared::Different);
        }
        let replaced = self.replaced.iter().copied().filter(|at| *at < self.same.min(length));
        let open: Vec<usize> = replaced.chain(self.same.min(length)..length).collect();
        let mut found = Vec::new();
        for at in open {
            if differs(state, at) {
                self.differing = Some(at);
                return Some(Compared::Different);
            }
            let (one, other) = values(at)?;
            found.push((one, other));
            if let Value::Object(one) = one {
                self.note(state, one);
            }
        }
        Some(Compared::IfSame(found))
    }

    /// Notes that the own contents of an object among the items must be the same too.
    fn note(&mut self, state: &State<'_>, object: u32) {
        if object != 0 && state.runs[0].calls.objects.content(object).is_none() {
            let number = state.pairs.number(object).map_or(usize::MAX, |number| number + 1);
            self.pairs = self.pairs.max(number);
        }
    }
}

/// The first items of a collection at a time, their number, and whether they have keys; `None` if that is not
/// known, or is another object's.
///
/// # Errors
/// The events cannot be read.
pub fn first_items(
    state: &mut State<'_>,
    side: usize,
    object: u32,
    when: EventTime,
    most: usize,
) -> Result<Option<(Vec<Item>, usize, bool)>, TraceError> {
    let mut taken = std::mem::take(&mut state.collections);
    let cursor = taken.advance(state, side, object, when)?;
    let first = match (cursor.item_count(), state.runs[side].calls.is_stale(cursor)?) {
        (Some(count), false) => Some((cursor.items().take(most).collect(), count, cursor.is_map())),
        _ => None,
    };
    state.collections = taken;
    Ok(first)
}

/// Whether the contents of a collection of one run are the same at the end of a time as at its start; `None`
/// if that is not known.
///
/// # Errors
/// The events cannot be read.
pub fn is_as_before(
    state: &mut State<'_>,
    side: usize,
    object: u32,
    during: Range<EventTime>,
) -> Result<Option<bool>, TraceError> {
    let mut taken = std::mem::take(&mut state.collections);
    let compared = taken.is_as_before(state, side, object, during);
    state.collections = taken;
    compared
}

impl Collections {
    fn is_as_before(
        &mut self,
        state: &mut State<'_>,
        side: usize,
        object: u32,
        during: Range<EventTime>,
    ) -> Result<Option<bool>, TraceError> {
        let Some(was) = self.contents_before(state, side, object, during.start)?.filter(|was| !was.unsure)
        else {
            return Ok(None);
        };
        let cursor = self.cursors[side].entry(object).or_insert_with(|| ContentsCursor::new(object));
        state.runs[side].calls.advance(cursor, during.end)?;
        if cursor.item_count().is_some_and(|length| length != was.items.len()) {
            return Ok((!state.runs[side].calls.is_stale(cursor)?).then_some(false));
        }
        let is = state.runs[side].calls.contents(object, during.end)?;
        Ok(is.filter(|is| !is.unsure).map(|is| is == *was))
    }
}
