//! Finds the events of a call by their numbers. A call can have millions of events, so some of their
//! positions are kept, and only as far as they were asked for.

use crate::error::PastError;
use crate::locals::WrittenLocals;
use std::time::Instant;
use trace::{Calls, EventPosition, Traced};

/// One position of so many is kept.
pub(crate) const STEP: u64 = 256;
/// The local variables are kept at one position of so many.
const LOCALS: u64 = 4096;
/// How often the time is looked at, in events.
const LOOK: u64 = 4096;

/// The events of a call, as far as they were read.
pub(crate) struct EventIndex {
    pub node: u32,
    /// The positions of events 0, [`STEP`], twice [`STEP`]…
    pub marks: Vec<EventPosition>,
    /// The local variables before events 0, [`LOCALS`], twice [`LOCALS`]…
    pub kept: Vec<WrittenLocals>,
    /// The local variables after the last event that was read.
    locals: Option<WrittenLocals>,
    /// Number of events that were read, and the last of them.
    pub count: u64,
    last: Option<EventPosition>,
    /// Whether the call has no further events.
    pub is_complete: bool,
}

/// Until when an index is read on.
#[derive(Clone, Copy)]
pub(crate) enum Until {
    /// Until it has so many events.
    Count(u64),
    /// Until it has the event at this position.
    Place(EventPosition),
    /// Until then, or its end.
    Time(Instant),
}

impl EventIndex {
    pub fn new(node: u32) -> EventIndex {
        EventIndex {
            node,
            marks: Vec::new(),
            kept: Vec::new(),
            locals: None,
            count: 0,
            last: None,
            is_complete: false,
        }
    }

    /// Reads on.
    pub fn extend(&mut self, calls: &mut Calls, until: Until) -> Result<(), PastError> {
        let is_enough = |index: &EventIndex| match until {
            Until::Count(count) => index.count >= count,
            Until::Place(at) => index.last.is_some_and(|last| at.is_before(last)),
            Until::Time(end) => index.count.is_multiple_of(LOOK) && Instant::now() >= end,
        };
        if self.is_complete || (self.count > 0 && is_enough(self)) {
            return Ok(());
        }
        let Some(from) = self.last.or_else(|| calls.entry(self.node)) else {
            self.is_complete = true;
            return Ok(());
        };
        let (node, mut is_cut) = (self.node, false);
        calls.events_after(from, |_, seen| {
            if let Some(place) = listed(node, seen) {
                if self.count.is_multiple_of(STEP) {
                    self.marks.push(place);
                }
                let locals = self.locals.get_or_insert_with(|| WrittenLocals::at_entry(place));
                if self.count.is_multiple_of(LOCALS) {
                    self.kept.push(WrittenLocals { at: place, ..locals.clone() });
                }
                locals.see(seen);
                self.count += 1;
                self.last = Some(place);
                is_cut = is_enough(self);
            }
            !is_cut
        })?;
        self.is_complete = !is_cut;
        Ok(())
    }
}

/// The position in a call of an event that is listed there: all but its entry and its end.
pub(crate) fn listed(node: u32, seen: &trace::TracedEvent<'_>) -> Option<EventPosition> {
    let is_own = seen.node == Some(node);
    match seen.site.what {
        Traced::Enter | Traced::Return | Traced::Leave | Traced::Born if is_own => None,
        // The entry of a callee is an event of its caller.
        _ => seen.position().map(|place| place.in_call(node)),
    }
}
