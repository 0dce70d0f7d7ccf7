//! What fields and elements held at some time, as values.

use super::calls::Calls;
use super::decode::Value;
use super::error::TraceError;
use super::walk::{Seen, Then};
use super::writes::When;
use wire::recording::Traced;

/// The part of an array under which it is kept where it was made. No element has this index.
pub const MADE: u32 = u32::MAX;

/// What a field or an element held at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Held {
    /// This.
    Value(Value),
    /// No write is recorded that tells it: what it held as its object was made, if nothing else has written it.
    Unwritten,
    /// The first write that is recorded does not tell what it replaced.
    Unknown,
}

impl Seen<'_> {
    /// What a write has found where it writes.
    pub fn found(&self) -> Option<Value> {
        let before_last = self.values.len().checked_sub(2)?;
        let is_told = matches!(self.site.what, Traced::Put | Traced::PutStatic | Traced::Element(_));
        self.values.get(before_last).filter(|_| is_told).copied()
    }
}

impl Calls {
    /// What a part of an object held at some time: what the last write before has written, or what the first one after has found.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn held(&mut self, object: u32, part: u32, when: When) -> Result<Held, TraceError> {
        let rows = self.rows_of(object, part);
        let low = self.row_from(&rows, when);
        let (mut held, mut next) = (Held::Unwritten, Held::Unwritten);
        if let Some(row) = low.checked_sub(1).filter(|row| rows.contains(row)) {
            self.each_write(self.writes_in(row), |_, seen| {
                if seen.when() >= when {
                    return Then::Stop;
                }
                held = seen.values.last().copied().map_or(Held::Unknown, Held::Value);
                Then::Next
            })?;
        }
        if held == Held::Unwritten && rows.contains(&low) {
            self.each_write(self.writes_in(low), |_, seen| {
                next = match (seen.found(), seen.site.what) {
                    (Some(found), _) => Held::Value(found),
                    // Written before `this` is an object: nothing has written before.
                    (None, Traced::Preset) => Held::Unwritten,
                    (None, _) => Held::Unknown,
                };
                Then::Stop
            })?;
            held = next;
        }
        Ok(held)
    }

    /// Whether a part of an object may have been written from one time on, and before another.
    pub fn may_be_written(&self, object: u32, part: u32, from: When, to: When) -> bool {
        let rows = self.rows_of(object, part);
        let low = self.row_from(&rows, from);
        // A row that begins before can reach into the time.
        let reaches = low.checked_sub(1).filter(|row| rows.contains(row));
        let reaches = reaches.is_some_and(|row| self.writes_in(row).count > 1);
        reaches || (rows.contains(&low) && self.writes_in(low).first < to)
    }

    /// Whether an array was made where that is recorded: then elements that are never written hold what the VM has put there.
    pub fn was_made(&self, array: u32) -> bool {
        !self.rows_of(array, MADE).is_empty()
    }
}
