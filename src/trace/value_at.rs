//! What fields and elements held at some time, as values.

use super::calls::Calls;
use super::decode::Value;
use super::error::TraceError;
use super::recent::RecordedWrite;
use super::writes::{EventTime, found};
use wire::recording::Traced;

/// The part of an array or object under which it is kept where it was made: no field and no element has this
/// number.
pub const CREATION: u32 = u32::MAX - 1;

/// What a field or an element held at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldValue {
    /// This.
    Value(Value),
    /// No write is recorded that tells it: what it held as its object was made, if nothing else has written
    /// it.
    Unwritten,
    /// The first write that is recorded does not tell what it replaced.
    Unknown,
}

impl Calls {
    /// What a part of an object held at some time: what the last write before has written, or what the first
    /// one after has found.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn held(&mut self, object: u32, part: u32, when: EventTime) -> Result<HeldValue, TraceError> {
        let rows = self.write_rows(object, part);
        let low = self.row_from(&rows, when);
        if let Some(row) = low.checked_sub(1).filter(|row| rows.contains(row)) {
            let first = self.writes_in(row).first;
            let wrote = self.wrote(row)?;
            let place =
                |wrote: &RecordedWrite| EventTime { turn: first.turn, place: (first.place.0, wrote.at) };
            let before = wrote.partition_point(|wrote| place(wrote) < when);
            if let Some(last) = before.checked_sub(1).and_then(|last| wrote.get(last)) {
                return Ok(last.new.map_or(HeldValue::Unknown, HeldValue::Value));
            }
        }
        if !rows.contains(&low) {
            return Ok(HeldValue::Unwritten);
        }
        let mut next = HeldValue::Unwritten;
        self.each_written(self.writes_in(low), |calls, site, values, _| {
            calls.objects.distinguish(site, values);
            next = match (found(site, values), site.what) {
                (Some(found), _) => HeldValue::Value(found),
                // Written before `this` is an object: nothing has written before.
                (None, Traced::Preset) => HeldValue::Unwritten,
                (None, _) => HeldValue::Unknown,
            };
            false
        })?;
        Ok(next)
    }

    /// Whether a part of an object may have been written from one time on, and before another.
    pub fn may_be_written(&self, object: u32, part: u32, from: EventTime, to: EventTime) -> bool {
        let rows = self.write_rows(object, part);
        let low = self.row_from(&rows, from);
        // A row that begins before can reach into the time.
        let reaches = low.checked_sub(1).filter(|row| rows.contains(row));
        let reaches = reaches.is_some_and(|row| self.writes_in(row).count > 1);
        reaches || (rows.contains(&low) && self.writes_in(low).first < to)
    }

    /// Whether an array or object was made where that is recorded: then what is never written holds what the
    /// VM has put there.
    pub fn was_made(&self, object: u32) -> bool {
        !self.write_rows(object, CREATION).is_empty()
    }
}
