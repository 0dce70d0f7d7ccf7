//! The values of fields and elements at a given time.

use super::calls::Calls;
use super::decode::Value;
use super::error::TraceError;
use super::event_cache::RecordedWrite;
use super::event_time::EventTime;
use super::parts::CREATION;
use super::sites::Method;
use super::writes::found;
use wire::recording::Traced;

/// The value of a field or element at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeldValue {
    /// The last write before that time, and when it was.
    Written(Value, EventTime),
    /// The first write after that time replaced this value.
    Replaced(Value),
    /// No write was recorded: the value is the default from the object's creation, unless unrecorded code
    /// wrote it.
    Unwritten,
    /// The first recorded write does not tell which value it replaced.
    Unknown,
}

impl HeldValue {
    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        match self {
            HeldValue::Written(value, _) | HeldValue::Replaced(value) => Some(value),
            HeldValue::Unwritten | HeldValue::Unknown => None,
        }
    }
}

impl Calls {
    /// The value of a field or element at a given time: the last value written before, or the value that the
    /// first later write replaced.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn held(&mut self, object: u32, part: u32, when: EventTime) -> Result<HeldValue, TraceError> {
        let rows = self.write_rows(object, part)?;
        let low = self.row_from(&rows, when);
        if let Some(row) = low.checked_sub(1).filter(|row| rows.contains(row)) {
            let first = self.writes_in(row).first;
            let wrote = self.wrote(row)?;
            let place =
                |wrote: &RecordedWrite| EventTime { turn: first.turn, place: (first.place.0, wrote.at) };
            let before = wrote.partition_point(|wrote| place(wrote) < when);
            if let Some(last) = before.checked_sub(1).and_then(|last| wrote.get(last)) {
                return Ok(last.new.map_or(HeldValue::Unknown, |new| HeldValue::Written(new, place(last))));
            }
        }
        if !rows.contains(&low) {
            return Ok(HeldValue::Unwritten);
        }
        let mut next = HeldValue::Unwritten;
        self.each_written(self.writes_in(low), |calls, site, values, _| {
            calls.objects.distinguish(site, values);
            next = match (found(site, values), site.what) {
                (Some(found), _) => HeldValue::Replaced(found),
                // The constructor wrote it before `super(…)`: no earlier write is possible.
                (None, Traced::Preset) => HeldValue::Unwritten,
                (None, _) => HeldValue::Unknown,
            };
            false
        })?;
        Ok(next)
    }

    /// Whether a field or element may have been written between two times.
    ///
    /// # Errors
    /// The table of writes cannot be built.
    pub fn may_be_written(
        &self,
        object: u32,
        part: u32,
        from: EventTime,
        to: EventTime,
    ) -> Result<bool, TraceError> {
        let rows = self.write_rows(object, part)?;
        let low = self.row_from(&rows, from);
        // A row that begins before `from` can extend past it.
        let reaches = low.checked_sub(1).filter(|row| rows.contains(row));
        let reaches = reaches.is_some_and(|row| self.writes_in(row).count > 1);
        Ok(reaches || (rows.contains(&low) && self.writes_in(low).first < to))
    }

    /// Whether the creation of an array or object was recorded. Its unwritten parts then hold their default
    /// values.
    ///
    /// Deserialisation gives an object its fields, and calls a constructor of a superclass only. So if the
    /// constructors of the object's own class are recorded, one of them must have run or have called that of
    /// the superclass.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn was_made(&mut self, object: u32) -> Result<bool, TraceError> {
        let rows = self.write_rows(object, CREATION)?;
        let own = self.objects.class(object).filter(|class| self.sites.constructs(class)).cloned();
        let Some(own) = own else { return Ok(!rows.is_empty()) };
        let is_own = |method: Option<&Method>| method.is_some_and(|method| method.class == own);
        for row in rows {
            let mut is_made = false;
            self.each_written(self.writes_in(row), |calls, site, _, _| {
                is_made = is_own(calls.sites.method(site.method));
                !is_made
            })?;
            let mut at = self.call_at(self.writes_in(row).first);
            while let Some(node) = at.filter(|_| !is_made) {
                let constructor = self.method(node).filter(|method| method.name == "<init>");
                is_made = is_own(constructor);
                at = constructor.and_then(|_| self.parent(node));
            }
            if is_made {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of a field or element at a given time: the last value written before, or the value that the
    /// first later write replaced. `None` when unknown.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn part_at(&mut self, object: u32, part: u32, when: EventTime) -> Result<Option<Value>, TraceError> {
        Ok(self.held(object, part, when)?.value())
    }
}
