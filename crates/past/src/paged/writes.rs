//! The history of a variable, with the position of each write.

use crate::WriteShown;
use crate::error::PastError;
use crate::event_ref::EventRef;
use crate::recording::Recording;
use serde::Serialize;
use trace::EventPosition;

/// The writes to a variable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WritesShown {
    /// The variable, as the user wrote it.
    pub variable: String,
    /// The writes, in their order.
    pub writes: Vec<WriteRow>,
    /// Number of earlier writes.
    pub before: usize,
    /// What the recording lacks that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A write.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WriteRow {
    /// The call that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// Its place in the thread, for [`Recording::event_at_place`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The write.
    #[serde(flatten)]
    pub shown: WriteShown,
}

impl Recording {
    /// The last writes to a variable in the whole run, at most `limit`. The variable is named as at the
    /// selected event.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn writes_shown(
        &mut self,
        selection: EventRef,
        variable: &str,
        limit: usize,
    ) -> Result<WritesShown, PastError> {
        let at = self.position_after(selection)?;
        let moment = self.moment(at)?;
        let found = self.history(moment, variable, limit)?;
        let row = |shown: WriteShown| WriteRow {
            call: shown.node,
            place: shown.at.map(EventPosition::text),
            shown,
        };
        let writes = found.writes.into_iter().map(row).collect();
        Ok(WritesShown { variable: found.variable, writes, before: found.before, missing: found.missing })
    }

    /// The selection of an event by the text of its place in the thread.
    ///
    /// # Errors
    /// There is no such event, or the events cannot be read.
    pub fn event_at_place(&mut self, call: u32, place: &str) -> Result<EventRef, PastError> {
        let node = self.node(call)?;
        let none = || PastError::NoStep(format!("call #{call} has no event at `{place}`"));
        let at = EventPosition::parse(node, place).ok_or_else(none)?;
        if self.calls.end(node) == Some(at) {
            return Ok(EventRef { call, event: None });
        }
        if self.calls.entry(node) == Some(at) {
            return Ok(EventRef { call, event: Some(0) });
        }
        let row = self.number_of_event(at)?.ok_or_else(none)?;
        Ok(EventRef { call, event: Some(row + 1) })
    }
}
