//! The text of builders and streams at a given time, and the recorded changes of it. A builder's text is
//! replayed from the snapshot taken when the builder was first met; a stream's is all that was printed.

use super::calls::Calls;
use super::decode::Value;
use super::error::TraceError;
use super::event_time::EventTime;
use super::parts::TEXT;
use super::walk::TracedEvent;
use std::ops::Range;
use wire::recording::{OF_BYTES, ON_ERR, ON_OUT, TextEffect, Traced, text_digest};

/// Maximum number of objects to follow to the one that has the text.
pub(super) const DEEP: usize = 4;
/// Number of values of an event before the units of its text.
const HEAD: usize = 7;

/// A recorded change of a text.
#[derive(Clone, Copy, Debug)]
pub struct TextChange<'a> {
    /// The number of the builder or stream.
    pub object: u32,
    /// The kind of change.
    pub effect: TextEffect,
    /// The units are bytes; otherwise UTF-16 code units.
    pub is_bytes: bool,
    /// The name of the object, if it was a standard stream: `System.out` or `System.err`.
    pub stream: Option<&'static str>,
    /// The number of units after the change; `None` for a stream.
    pub length: Option<usize>,
    /// The position of the change, in units; 0 for a stream.
    pub from: usize,
    /// The number of units that were removed there.
    pub removed: usize,
    /// The number of units that were inserted there, or printed.
    pub inserted: usize,
    /// For [`TextEffect::SameAs`]: the number of the object that has the text.
    pub same_as: u32,
    digest: u64,
    units: &'a [Value],
}

impl<'a> TextChange<'a> {
    pub(super) fn of(values: &'a [Value]) -> Option<TextChange<'a>> {
        let (head, units) = values.split_first_chunk::<HEAD>()?;
        let [Value::Object(object), Value::Int(what), Value::Int(length), from, rest @ ..] = *head else {
            return None;
        };
        let [Value::Int(removed), Value::Int(inserted), Value::Long(digest)] = rest else { return None };
        let number = |number: i32| usize::try_from(number).unwrap_or(0);
        let (from, same_as) = match from {
            Value::Int(from) => (number(from), 0),
            Value::Object(inner) => (0, inner),
            _ => return None,
        };
        let what = what.cast_unsigned();
        Some(TextChange {
            object,
            effect: TextEffect::of(what & 0xff)?,
            is_bytes: what & OF_BYTES != 0,
            stream: [(ON_OUT, "System.out"), (ON_ERR, "System.err")]
                .into_iter()
                .find(|(flag, _)| what & flag != 0)
                .map(|(_, name)| name),
            length: usize::try_from(length).ok(),
            from,
            removed: number(removed),
            inserted: number(inserted),
            same_as,
            digest: digest.cast_unsigned(),
            units,
        })
    }

    /// The first inserted units, as far as they were recorded.
    pub fn units(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.units.iter().map(|unit| if let Value::Char(unit) = unit { *unit } else { 0 })
    }

    /// Whether all inserted units were recorded.
    pub fn is_whole(&self) -> bool {
        self.units.len() == self.inserted
    }

    /// The inserted units, and those of them that were not recorded.
    pub(super) fn parts(&self) -> [Part; 2] {
        let unknown = self.inserted.saturating_sub(self.units.len());
        [Part::Known(self.units().collect(), self.is_bytes), Part::Unknown(unknown)]
    }

    /// The beginning of the inserted text, as far as it was recorded.
    pub fn text(&self) -> String {
        decoded(&self.units().collect::<Vec<u16>>(), self.is_bytes)
    }

    /// A digest of the whole inserted text. Two insertions of different texts almost never have the same.
    pub fn digest(&self) -> u64 {
        if self.is_whole() { text_digest(self.units()) } else { self.digest }
    }
}

/// Units as text: UTF-16, or bytes that are read as UTF-8.
fn decoded(units: &[u16], is_bytes: bool) -> String {
    match is_bytes {
        true => {
            let bytes: Vec<u8> = units.iter().map(|unit| u8::try_from(*unit).unwrap_or(b'?')).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        }
        false => String::from_utf16_lossy(units),
    }
}

impl TracedEvent<'_> {
    /// The change of a text that this event records, if it records one.
    pub fn text_change(&self) -> Option<TextChange<'_>> {
        if self.site.what == Traced::Text { TextChange::of(self.values) } else { None }
    }
}

/// A text, of which parts may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextContents {
    parts: Vec<Part>,
    length: usize,
    /// The text may be wrong: unrecorded code changed it.
    pub unsure: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Recorded units, and whether they are bytes.
    Known(Vec<u16>, bool),
    /// This number of units were not recorded.
    Unknown(usize),
}

/// Whether a change does not fit the text that it changes, given the lengths before and after it.
pub(super) fn is_doubtful(change: &TextChange<'_>, before: usize, after: usize) -> bool {
    change.from.saturating_add(change.removed) > before || change.length.is_some_and(|length| length != after)
}

impl Part {
    pub(super) fn len(&self) -> usize {
        match self {
            Part::Known(units, _) => units.len(),
            Part::Unknown(count) => *count,
        }
    }

    /// Splits a part before a unit.
    pub(super) fn split(self, at: usize) -> [Part; 2] {
        match self {
            Part::Known(mut units, is_bytes) => {
                let behind = units.split_off(at.min(units.len()));
                [Part::Known(units, is_bytes), Part::Known(behind, is_bytes)]
            }
            Part::Unknown(count) => [Part::Unknown(at), Part::Unknown(count.saturating_sub(at))],
        }
    }
}

impl TextContents {
    /// Number of units: UTF-16 code units or bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text, with `…` for each unknown part.
    pub fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Known(units, is_bytes) => decoded(units, *is_bytes),
            Part::Unknown(_) => "…".to_owned(),
        };
        self.parts.iter().map(part).collect()
    }

    /// The end of the text: at least this number of characters if there are so many.
    pub fn end(&self, characters: usize) -> String {
        let (mut left, mut texts) = (characters, Vec::new());
        for part in self.parts.iter().rev() {
            if left == 0 {
                break;
            }
            match part {
                Part::Known(units, is_bytes) => {
                    // The units of a character.
                    let most = left.saturating_mul(if *is_bytes { 4 } else { 2 });
                    let text =
                        decoded(units.get(units.len().saturating_sub(most)..).unwrap_or_default(), *is_bytes);
                    left = left.saturating_sub(text.chars().count());
                    texts.push(text);
                }
                Part::Unknown(_) => {
                    left -= 1;
                    texts.push("…".to_owned());
                }
            }
        }
        texts.into_iter().rev().collect()
    }

    /// Whether all of it is known.
    pub fn is_whole(&self) -> bool {
        self.parts.iter().all(|part| matches!(part, Part::Known(..)))
    }

    fn push(&mut self, part: Part) {
        if part.len() == 0 {
            return;
        }
        self.length = self.length.saturating_add(part.len());
        match (self.parts.last_mut(), part) {
            (Some(Part::Known(last, of)), Part::Known(units, is_bytes)) if *of == is_bytes => {
                last.extend(units);
            }
            (Some(Part::Unknown(last)), Part::Unknown(count)) => *last += count,
            (_, part) => self.parts.push(part),
        }
    }

    /// The parts before a unit, and those from it on.
    fn split(self, at: usize) -> [TextContents; 2] {
        let [mut before, mut behind] = [TextContents::default(), TextContents::default()];
        let mut left = at;
        for part in self.parts {
            let length = part.len();
            let [one, other] = part.split(left.min(length));
            before.push(one);
            behind.push(other);
            left = left.saturating_sub(length);
        }
        [before, behind]
    }

    /// Adds what was printed at the end.
    pub fn print(&mut self, change: &TextChange<'_>) {
        self.append(change);
    }

    /// Adds what was printed as an unknown part.
    pub fn skip(&mut self, change: &TextChange<'_>) {
        self.push(Part::Unknown(change.inserted));
    }

    /// Adds a change at the end.
    fn append(&mut self, change: &TextChange<'_>) {
        change.parts().into_iter().for_each(|part| self.push(part));
    }

    /// Replaces units of a text of one part in place. Returns whether it did.
    fn splice(&mut self, change: &TextChange<'_>) -> bool {
        let end = change.from.saturating_add(change.removed);
        match self.parts.as_mut_slice() {
            [Part::Known(units, is_bytes)]
                if change.is_whole() && *is_bytes == change.is_bytes && end <= units.len() =>
            {
                units.splice(change.from..end, change.units());
                self.length = units.len();
                if units.is_empty() {
                    self.parts.clear();
                }
                true
            }
            _ => false,
        }
    }

    /// Applies a change.
    pub fn take(&mut self, change: &TextChange<'_>) {
        match change.effect {
            TextEffect::Whole => {
                *self = TextContents::default();
                self.append(change);
            }
            TextEffect::Print => self.append(change),
            TextEffect::Edit => {
                let (length, unsure) = (self.len(), self.unsure);
                if change.from == length && change.removed == 0 {
                    self.append(change);
                } else if !self.splice(change) {
                    let [mut before, rest] = std::mem::take(self).split(change.from);
                    before.push(Part::Unknown(change.from.saturating_sub(length)));
                    let [_, behind] = rest.split(change.removed);
                    before.append(change);
                    behind.parts.into_iter().for_each(|part| before.push(part));
                    *self = before;
                }
                self.unsure = unsure || is_doubtful(change, length, self.len());
            }
            TextEffect::SameAs => {}
        }
    }
}

impl Calls {
    /// Whether a text of an object was recorded.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn has_text(&self, object: u32) -> Result<bool, TraceError> {
        Ok(object != 0 && self.is_ever_written(object, TEXT)?)
    }

    /// The streams on which something was printed: their numbers, and the names of the standard streams.
    pub fn streams(&self) -> impl Iterator<Item = (u32, Option<&str>)> {
        self.streams
            .iter()
            .map(|(object, name)| (*object, Some(name.as_str()).filter(|name| !name.is_empty())))
    }

    /// The name of a standard stream.
    pub fn stream_name(&self, object: u32) -> Option<&str> {
        self.streams.get(&object).map(String::as_str).filter(|name| !name.is_empty())
    }

    /// Whether something was printed on an object.
    pub fn is_stream(&self, object: u32) -> bool {
        self.streams.contains_key(&object)
    }

    /// The text of a builder, or all that was printed on a stream, at a given time; `None` if the object has
    /// no text or was not yet recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn text(&mut self, object: u32, when: EventTime) -> Result<Option<TextContents>, TraceError> {
        let mut at = object;
        for _ in 0..DEEP {
            let (mut held, mut same_as) = (None, 0);
            self.each_text_change(at, EventTime::BEGIN..when, |change, _| {
                same_as = change.same_as;
                held.get_or_insert_with(TextContents::default).take(change);
            })?;
            if same_as == 0 {
                return Ok(held);
            }
            at = same_as;
        }
        Ok(None)
    }

    /// The object whose changes are those of an object's text: for a `StringWriter`, its buffer.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn text_owner(&mut self, object: u32) -> Result<u32, TraceError> {
        let mut at = object;
        for _ in 0..DEEP {
            let Some(first) = self.write_rows(at, TEXT)?.next() else { break };
            let mut same_as = 0;
            self.each_written(self.writes_in(first), |_, _, values, _| {
                same_as = TextChange::of(values).map_or(0, |change| change.same_as);
                false
            })?;
            if same_as == 0 {
                break;
            }
            at = same_as;
        }
        Ok(at)
    }

    /// Visits the recorded changes of an object's text during a time.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn each_text_change(
        &mut self,
        object: u32,
        during: Range<EventTime>,
        mut visit: impl FnMut(&TextChange<'_>, EventTime),
    ) -> Result<(), TraceError> {
        let rows = self.write_rows(object, TEXT)?;
        let first = self.row_from(&rows, during.start);
        // The row before can extend past the start.
        for row in first.saturating_sub(1).max(rows.start)..rows.end {
            let writes = self.writes_in(row);
            if writes.first >= during.end {
                break;
            }
            self.each_written(writes, |_, _, values, place| {
                let when = EventTime { place, ..writes.first };
                if when >= during.end {
                    return false;
                }
                if let Some(change) = TextChange::of(values).filter(|_| when >= during.start) {
                    visit(&change, when);
                }
                true
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of an event that replaces `removed` units at `from` by a text, after which there are `length`.
    fn edit(length: i32, [from, removed]: [i32; 2], text: &str) -> Vec<Value> {
        let units: Vec<u16> = text.encode_utf16().collect();
        let inserted = i32::try_from(units.len()).expect("short");
        let head = [length, from, removed, inserted].map(Value::Int);
        let [length, from, removed, inserted] = head;
        let head = [Value::Object(7), Value::Int(2), length, from, removed, inserted, Value::Long(0)];
        head.into_iter().chain(units.into_iter().map(Value::Char)).collect()
    }

    fn after(edits: &[Vec<Value>]) -> TextContents {
        let mut held = TextContents::default();
        for values in edits {
            held.take(&TextChange::of(values).expect("a change"));
        }
        held
    }

    #[test]
    fn a_text_is_replayed_from_its_changes() {
        let held = after(&[
            edit(5, [0, 0], "hello"),
            edit(11, [5, 0], " world"),
            edit(9, [0, 5], "bye"),
            edit(10, [3, 0], ","),
            edit(4, [4, 6], ""),
        ]);
        assert_eq!((held.text().as_str(), held.len(), held.unsure), ("bye,", 4, false));
    }

    #[test]
    fn a_change_that_does_not_fit_makes_the_text_unsure() {
        let held = after(&[edit(2, [0, 0], "ab"), edit(9, [5, 0], "cdef")]);
        assert_eq!((held.text().as_str(), held.unsure), ("ab…cdef", true));
        let held = after(&[edit(2, [0, 0], "ab"), edit(7, [1, 0], "c")]);
        assert!(held.unsure);
    }

    #[test]
    fn what_was_not_recorded_of_an_insertion_is_a_gap() {
        let mut long = edit(6, [0, 0], "abc");
        if let Some(inserted) = long.get_mut(5) {
            *inserted = Value::Int(6);
        }
        let held = after(&[long, edit(7, [6, 0], "g"), edit(6, [4, 1], "")]);
        assert_eq!((held.text().as_str(), held.len(), held.is_whole()), ("abc…g", 6, false));
        assert!(!held.unsure);
    }
}
