//! Finds the events of a call by their numbers. A call can have millions of events, so some of their
//! positions are kept, and only as far as they were asked for.

use super::{INDEXES, RecordedViewer};
use crate::error::SessionError;
use inspect::locals::{KnownLocals, WrittenLocals};
use std::time::{Duration, Instant};
use trace::{Calls, EventPosition, Traced};

/// One position of so many is kept.
const STEP: u64 = 256;
/// The local variables are kept at one position of so many.
const LOCALS: u64 = 4096;
/// How often the time is looked at, in events.
const LOOK: u64 = 4096;

/// The events of a call, as far as they were read.
pub(super) struct EventIndex {
    node: u32,
    /// The positions of events 0, [`STEP`], twice [`STEP`]…
    marks: Vec<EventPosition>,
    /// The local variables before events 0, [`LOCALS`], twice [`LOCALS`]…
    kept: Vec<WrittenLocals>,
    /// The local variables after the last event that was read.
    locals: Option<WrittenLocals>,
    /// Number of events that were read, and the last of them.
    count: u64,
    last: Option<EventPosition>,
    /// Whether the call has no further events.
    is_complete: bool,
}

/// Until when an index is read on.
#[derive(Clone, Copy)]
enum Until {
    /// Until it has so many events.
    Count(u64),
    /// Until it has the event at this position.
    Place(EventPosition),
    /// Until then, or its end.
    Time(Instant),
}

impl EventIndex {
    fn new(node: u32) -> EventIndex {
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
    fn extend(&mut self, calls: &mut Calls, until: Until) -> Result<(), SessionError> {
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
pub(super) fn listed(node: u32, seen: &trace::TracedEvent<'_>) -> Option<EventPosition> {
    let is_own = seen.node == Some(node);
    match seen.site.what {
        Traced::Enter | Traced::Return | Traced::Leave | Traced::Born if is_own => None,
        // The entry of a callee is an event of its caller.
        _ => seen.position().map(|place| place.in_call(node)),
    }
}

impl RecordedViewer {
    fn index(&mut self, node: u32) -> EventIndex {
        let known = self.indexes.iter().position(|index| index.node == node);
        known.and_then(|at| self.indexes.remove(at)).unwrap_or_else(|| EventIndex::new(node))
    }

    fn keep(&mut self, index: EventIndex) {
        self.indexes.push_front(index);
        self.indexes.truncate(INDEXES);
    }

    /// Applies `work` to the index of a call.
    fn with_index<T>(
        &mut self,
        node: u32,
        work: impl FnOnce(&mut EventIndex, &mut Calls) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        let mut index = self.index(node);
        let done = work(&mut index, &mut self.trace().calls);
        self.keep(index);
        done
    }

    /// The local variables of a call before one of the last events up to a position, if that was read
    /// already.
    pub fn locals_before(&mut self, at: EventPosition) -> Result<Option<WrittenLocals>, SessionError> {
        self.with_index(at.node, |index, _| {
            let behind = index.kept.partition_point(|kept| kept.at.is_before(at));
            Ok(behind.checked_sub(1).and_then(|last| index.kept.get(last)).cloned())
        })
    }

    /// The local variables of a call before one of its last events. Reads the events that are not known yet.
    pub(crate) fn locals_at_end(&mut self, node: u32) -> Result<Option<WrittenLocals>, SessionError> {
        self.count_events(node)?;
        self.with_index(node, |index, _| Ok(index.kept.last().cloned()))
    }

    /// Makes the debugger know the local variables of a call near a position, so that it reads few events.
    pub fn resume_locals(&mut self, at: EventPosition) -> Result<(), SessionError> {
        if let Some(locals) = self.locals_before(at)? {
            let known = KnownLocals::with(&mut self.trace().calls, &locals)?;
            self.debugger.remember(known);
        }
        Ok(())
    }

    /// Number of events of a call that are known, and whether these are all. Looks for more for about this
    /// long.
    pub(super) fn known_events(&mut self, node: u32, most: Duration) -> Result<(u64, bool), SessionError> {
        self.with_index(node, |index, calls| {
            index.extend(calls, Until::Time(Instant::now() + most))?;
            Ok((index.count, index.is_complete))
        })
    }

    /// Number of events of a call.
    pub(super) fn count_events(&mut self, node: u32) -> Result<u64, SessionError> {
        self.with_index(node, |index, calls| {
            index.extend(calls, Until::Count(u64::MAX))?;
            Ok(index.count)
        })
    }

    /// The event of a call in a row, from 0.
    pub(super) fn event_at(&mut self, node: u32, row: u64) -> Result<Option<EventPosition>, SessionError> {
        Ok(self.events_from(node, row, 1)?.first().copied())
    }

    /// At most `limit` events of a call, from a row on.
    pub(super) fn events_from(
        &mut self,
        node: u32,
        row: u64,
        limit: usize,
    ) -> Result<Vec<EventPosition>, SessionError> {
        self.with_index(node, |index, calls| {
            index.extend(calls, Until::Count(row.saturating_add(1)))?;
            let mut found = Vec::new();
            let at = usize::try_from(row / STEP).unwrap_or(usize::MAX);
            let Some(mark) = index.marks.get(at).copied().filter(|_| row < index.count) else {
                return Ok(found);
            };
            let mut skip = row % STEP;
            let mut take = |place: EventPosition| {
                match skip.checked_sub(1) {
                    Some(less) => skip = less,
                    None => found.push(place),
                }
                found.len() < limit
            };
            if take(mark) {
                calls.events_after(mark, |_, seen| listed(node, seen).is_none_or(&mut take))?;
            }
            Ok(found)
        })
    }

    /// The row of an event of its call, from 0; `None` if the call has no such event.
    pub(super) fn number_of_event(&mut self, at: EventPosition) -> Result<Option<u64>, SessionError> {
        self.with_index(at.node, |index, calls| {
            index.extend(calls, Until::Place(at))?;
            let behind = index.marks.partition_point(|mark| mark.is_before(at));
            let Some((mark, from)) = behind.checked_sub(1).and_then(|of| Some((of, *index.marks.get(of)?)))
            else {
                return Ok(None);
            };
            let mut row = u64::try_from(mark).unwrap_or(u64::MAX).saturating_mul(STEP);
            if from == at {
                return Ok(Some(row));
            }
            let mut found = None;
            calls.events_after(from, |_, seen| {
                let Some(place) = listed(at.node, seen) else { return true };
                row += 1;
                if place == at {
                    found = Some(row);
                }
                place.is_before(at) && place != at
            })?;
            Ok(found)
        })
    }
}
