//! Finds the writes to a field or element through a table, without reading all events.

use super::calls::Calls;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::event_cache::RecordedWrite;
use super::event_time::{ChunkOffset, EventTime};
use super::parts::{CONTENTS, CREATION, TEXT};
use super::recent::address;
use super::sites::Site;
use super::walk::{TracedEvent, WalkControl};
use std::ops::Range;
use std::sync::Arc;
use wire::recording::Traced;

/// Maximum number of cached writes.
const WRITES: usize = 1 << 20;

impl TracedEvent<'_> {
    /// The time of this event.
    pub fn when(&self) -> EventTime {
        EventTime { turn: self.turn, place: self.place }
    }

    /// The value that this write replaced, if recorded.
    pub fn found(&self) -> Option<Value> {
        found(self.site, self.values)
    }
}

/// The value that a write replaced, if recorded.
pub(super) fn found(site: &Site, values: &[Value]) -> Option<Value> {
    let before_last = values.len().checked_sub(2)?;
    let is_told = match site.what {
        Traced::Put | Traced::PutStatic => true,
        Traced::Element(_) => !site.is_nowhere(),
        _ => false,
    };
    values.get(before_last).filter(|_| is_told).copied()
}

/// The writes to one field or element within one turn and one chunk: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writes {
    /// The object or array; 0 for static fields.
    object: u32,
    /// The number of the field, or the index of the element.
    part: u32,
    /// The time of the first write.
    pub first: EventTime,
    /// Number of writes.
    pub count: u32,
}

impl Writes {
    /// No writes.
    const NONE: Writes = Writes { object: 0, part: 0, first: EventTime::BEGIN, count: 0 };
}

impl Calls {
    /// The written fields by number: declaring class and name.
    pub fn fields(&self) -> &[(String, String)] {
        &self.fields
    }

    /// The rows with writes to a field (by number) or an element (by index).
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn write_rows(&self, object: u32, part: u32) -> Result<Range<usize>, TraceError> {
        let writes = self.writes()?;
        let end = match part.checked_add(1) {
            Some(next) => writes.lower_bound(&[object.into(), next.into()]),
            None => writes.lower_bound(&[u64::from(object) + 1]),
        };
        Ok(writes.lower_bound(&[object.into(), part.into()])..end)
    }

    /// Whether a field or element was ever written.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn is_ever_written(&self, object: u32, part: u32) -> Result<bool, TraceError> {
        Ok(!self.write_rows(object, part)?.is_empty())
    }

    /// The objects with recorded writes to this part, in ascending order; an object may come more than once.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn written_objects(&self, part: u32) -> Result<impl Iterator<Item = u32>, TraceError> {
        let writes = self.writes()?;
        let rows = (0..writes.len()).filter(move |row| writes.word(1, *row) == part);
        Ok(rows.map(|row| writes.word(0, row)))
    }

    /// The lowest written part of an object that is not below `part`.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn part_from(&self, object: u32, part: u32) -> Result<Option<u32>, TraceError> {
        let writes = self.writes()?;
        let row = writes.lower_bound(&[object.into(), part.into()]);
        let found = (writes.word(0, row), writes.word(1, row));
        let is_part = found.0 == object && found.1 >= part && found.1 < TEXT;
        Ok((row < writes.len() && is_part).then_some(found.1))
    }

    /// Reads a row that [`Calls::write_rows`] has found.
    pub fn writes_in(&self, row: usize) -> Writes {
        let Some(writes) = self.known_writes() else { return Writes::NONE };
        let word = |column| writes.word(column, row);
        let first = EventTime { turn: writes.get(2, row), place: (word(3), word(4)) };
        Writes { object: word(0), part: word(1), first, count: word(5) }
    }

    /// The first of the rows that does not begin before a given time.
    pub fn row_from(&self, rows: &Range<usize>, when: EventTime) -> usize {
        let (mut low, mut high) = (rows.start, rows.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.writes_in(middle).first < when {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Visits the writes of a row.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn each_write(
        &mut self,
        writes: Writes,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<(), TraceError> {
        let turn = writes.first.turn;
        let (chunk, _) = writes.first.place;
        let Some(thread) = self.source.chunk(chunk).map(|chunk| chunk.thread) else { return Ok(()) };
        let mut known = None;
        self.each_written(writes, |calls, site, values, place| {
            calls.objects.distinguish(site, values);
            let node = calls.innermost_after(thread, place, &mut known);
            let around = node.and_then(|node| calls.parent(node));
            let seen = TracedEvent { site, values, node, around, is_around: false, turn, place };
            visit(calls, &seen) != WalkControl::Stop
        })
    }

    /// Visits the raw events of a row until `visit` returns false.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn each_written(
        &mut self,
        writes: Writes,
        mut visit: impl FnMut(&Calls, &Site, &mut Vec<Value>, ChunkOffset) -> bool,
    ) -> Result<(), TraceError> {
        let Writes { object, part, first, count } = writes;
        let (chunk, at) = first.place;
        let Some(thread) = self.source.chunk(chunk).map(|chunk| chunk.thread) else { return Ok(()) };
        let events = self.chunk(chunk)?;
        let fields = self.sites_of(part);
        let mut decoder = Decoder::from(&self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
        let mut values = Vec::new();
        let mut left = count;
        while left > 0 {
            let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
            let broken = |what| TraceError::Broken { thread, at: at.into(), what };
            let Some(event) = decoder.next(&mut values, None).map_err(broken)? else { break };
            let Event::At(site) = event else { continue };
            let is_one = |site: &Site| fields.contains(&address(site));
            let is_it = match site.what {
                Traced::Put => values.first() == Some(&Value::Object(object)) && is_one(site),
                Traced::PutStatic => object == 0 && is_one(site),
                // The object is not known yet, so the position identifies the event.
                Traced::Preset => (chunk, at) == first.place,
                Traced::Element(_) => {
                    values.first() == Some(&Value::Object(object))
                        && values.get(1) == Some(&Value::Int(part.cast_signed()))
                }
                Traced::Contents => part == CONTENTS && values.first() == Some(&Value::Object(object)),
                Traced::Text => part == TEXT && values.first() == Some(&Value::Object(object)),
                Traced::Born => part == CREATION && values.first() == Some(&Value::Object(object)),
                _ => false,
            };
            if is_it {
                left -= 1;
                if !visit(self, site, &mut values, (chunk, at)) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Whether a field or element was written in the half-open interval from `from` to `to`.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn is_written(
        &mut self,
        object: u32,
        part: u32,
        from: EventTime,
        to: EventTime,
    ) -> Result<bool, TraceError> {
        let rows = self.write_rows(object, part)?;
        let last = self.row_from(&rows, to).checked_sub(1).filter(|row| rows.contains(row));
        let Some(row) = last else { return Ok(false) };
        let first = self.writes_in(row).first;
        let when = |wrote: &RecordedWrite| EventTime { turn: first.turn, place: (first.place.0, wrote.at) };
        Ok(self.wrote(row)?.iter().any(|wrote| when(wrote) >= from && when(wrote) < to))
    }

    /// Whether an event writes one of the given parts of an object.
    pub fn is_write_to(&self, seen: &TracedEvent<'_>, object: u32, parts: &[u32]) -> bool {
        let is_field = || {
            let field =
                seen.site.written.as_ref().map(|written| (self.sites.declares(written), &written.name));
            parts.iter().filter_map(|part| self.fields.get(usize::try_from(*part).ok()?)).any(
                |(class, name)| {
                    field.as_ref().is_some_and(|(declares, written)| declares == class && *written == name)
                },
            )
        };
        let is_its = seen.values.first() == Some(&Value::Object(object));
        match seen.site.what {
            Traced::Put => is_its && is_field(),
            Traced::PutStatic => object == 0 && is_field(),
            Traced::Preset => seen.node.and_then(|node| self.born(node)) == Some(object) && is_field(),
            Traced::Element(_) => {
                let index = seen.values.get(1);
                is_its && parts.iter().any(|part| index == Some(&Value::Int(part.cast_signed())))
            }
            Traced::Contents => is_its && parts.contains(&CONTENTS),
            Traced::Text => is_its && parts.contains(&TEXT),
            _ => false,
        }
    }

    /// The writes of a row of the table of writes.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn wrote(&mut self, row: usize) -> Result<Arc<[RecordedWrite]>, TraceError> {
        if let Some(known) = self.recent.rows.get(&row) {
            return Ok(known.clone());
        }
        let mut writes = Vec::new();
        self.each_written(self.writes_in(row), |calls, site, values, (_, at)| {
            let mut values = values.to_vec();
            calls.objects.distinguish(site, &mut values);
            let (new, is_preset) = (values.last().copied(), site.what == Traced::Preset);
            writes.push(RecordedWrite { at, new, found: found(site, &values), is_preset });
            true
        })?;
        let found: Arc<[RecordedWrite]> = writes.into();
        let recent = &mut self.recent;
        recent.writes += found.len();
        if recent.writes > WRITES {
            recent.rows.clear();
            recent.writes = found.len();
        }
        recent.rows.insert(row, found.clone());
        Ok(found)
    }

    /// The innermost open call of the thread of an event, at its time.
    pub fn call_at(&self, when: EventTime) -> Option<u32> {
        self.innermost_at(self.thread_at(when)?, when.place)
    }

    /// The innermost open call at a position of a thread.
    pub(super) fn innermost_at(&self, thread: u32, place: ChunkOffset) -> Option<u32> {
        self.innermost_after(thread, place, &mut None)
    }

    /// As [`Calls::innermost_at`], at later and later positions. `known` has the last call that was entered,
    /// and the innermost open one then: a deep recursion is not gone through for each position.
    fn innermost_after(
        &self,
        thread: u32,
        place: ChunkOffset,
        known: &mut Option<(Option<u32>, Option<u32>)>,
    ) -> Option<u32> {
        let all = self.of_thread(thread);
        let (mut low, mut high) = (all.start, all.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.begins(middle).is_some_and(|begins| begins <= place) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let entered = low.checked_sub(1).filter(|node| all.contains(node));
        let mut inside = match *known {
            Some((before, inside)) if before == entered => inside,
            _ => entered,
        };
        // When a call has ended, all calls inside it have ended.
        let mut at = inside;
        while let Some(node) = at {
            at = self.parent(node);
            match self.ends(node) {
                Some(ends) if ends < place => inside = at,
                Some(_) => break,
                None => {}
            }
        }
        *known = Some((entered, inside));
        inside
    }

    /// The times of a call's entry and end; [`EventTime::END`] if it has not ended.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn span(&mut self, node: u32) -> Result<(EventTime, EventTime), TraceError> {
        let begins = match self.begins(node) {
            Some(place) => self.when(place)?,
            None => EventTime::END,
        };
        let ends = match self.ends(node) {
            Some(place) => self.when(place)?,
            None => EventTime::END,
        };
        Ok((begins, ends))
    }

    /// The time of the event at a position.
    pub(super) fn when(&mut self, place: ChunkOffset) -> Result<EventTime, TraceError> {
        let mark = self.mark_before(place)?;
        let events = self.chunk(place.0)?;
        let from = usize::try_from(mark.at).unwrap_or(usize::MAX);
        let mut decoder = Decoder::from(&self.sites, &events, from);
        let (mut turn, mut values) = (mark.along.turn, Vec::new());
        while u32::try_from(decoder.at()).is_ok_and(|at| at < place.1) {
            match decoder.next(&mut values, None) {
                Ok(Some(Event::Turn(number))) => turn = number,
                Ok(Some(Event::At(_) | Event::Around(_) | Event::End(_))) => {}
                Ok(None) | Err(_) => break,
            }
        }
        Ok(EventTime { turn, place })
    }
}
