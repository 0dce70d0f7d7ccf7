//! How often each line of a call ran. A call can have millions of events, so they are read in parts.

use crate::error::PastError;
use crate::event_index::listed;
use crate::event_ref::EventRef;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use trace::{Calls, EventPosition, Traced};

/// How often the time is looked at, in events.
const LOOK: u64 = 4096;

/// How often the lines of a call ran, as far as its events were read.
pub(crate) struct LineCounts {
    pub node: u32,
    /// The selection that was asked about last.
    pub asked: Option<EventRef>,
    /// The last event that was read.
    pub last: Option<EventPosition>,
    pub counts: BTreeMap<u32, u64>,
    pub is_complete: bool,
}

impl LineCounts {
    /// Reads on for about this long.
    pub fn extend(&mut self, calls: &mut Calls, most: Duration) -> Result<(), PastError> {
        let Some(from) = self.last.or_else(|| calls.entry(self.node)) else { return Ok(()) };
        if self.is_complete {
            return Ok(());
        }
        let (end, mut seen_events, mut is_cut) = (Instant::now() + most, 0_u64, false);
        calls.events_after(from, |_, seen| {
            let Some(place) = listed(self.node, seen) else { return true };
            if let (Traced::Line(line), true) = (seen.site.what, seen.node == Some(self.node)) {
                *self.counts.entry(line.into()).or_default() += 1;
            }
            self.last = Some(place);
            seen_events += 1;
            is_cut = seen_events.is_multiple_of(LOOK) && Instant::now() >= end;
            !is_cut
        })?;
        self.is_complete = !is_cut;
        Ok(())
    }
}
