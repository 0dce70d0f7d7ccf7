//! Finds the events that users name by their numbers, and the numbers of events.

use crate::error::PastError;
use crate::event_index::{EventIndex, STEP, Until, listed};
use crate::event_ref::EventRef;
use crate::locals::{KnownLocals, WrittenLocals};
use crate::recording::Recording;
use serde::Serialize;
use std::time::{Duration, Instant};
use trace::{Calls, EventPosition, Traced};

/// Maximum number of calls whose events have an index.
const INDEXES: usize = 8;

/// A selected event with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventShownAt {
    /// The event.
    #[serde(flatten)]
    pub selection: EventRef,
    /// The name of the thread.
    pub thread: String,
    /// The class of the call's method.
    pub class: String,
    /// The source file, if the class file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The source line, if it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Recording {
    /// The node of a call that is shown with a number.
    pub(crate) fn node(&self, call: u32) -> Result<u32, PastError> {
        let calls = &self.calls;
        let node = calls.own(call);
        match calls.method_number(node) {
            Some(_) => Ok(node),
            None => Err(PastError::NoSuchCall { node: call, calls: calls.count() }),
        }
    }

    /// The position of the selected event; without one, the end of the call, or the last event of a call
    /// that has not ended.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn position(&mut self, selection: EventRef) -> Result<EventPosition, PastError> {
        let node = self.node(selection.call)?;
        let calls = &self.calls;
        let begins =
            || PastError::NoStep(format!("the beginning of call #{} was not recorded", selection.call));
        let entry = calls.entry(node);
        match selection.event {
            Some(0) => entry.ok_or_else(begins),
            Some(event) => {
                if let Some(at) = self.event_at(node, event - 1)? {
                    return Ok(at);
                }
                // The end of the call has the next number.
                let end = if self.count_events(node)? == event - 1 { self.calls.end(node) } else { None };
                end.ok_or_else(|| {
                    PastError::NoStep(format!("call #{} has fewer than {event} events", selection.call))
                })
            }
            None => match calls.end(node) {
                Some(end) => Ok(end),
                None => {
                    let count = self.count_events(node)?;
                    let last = count.checked_sub(1);
                    match last {
                        Some(last) => Ok(self.event_at(node, last)?.ok_or_else(begins)?),
                        None => entry.ok_or_else(begins),
                    }
                }
            },
        }
    }

    /// The position after the selected event: variables have the values there that the event left.
    ///
    /// # Errors
    /// As [`Recording::position`].
    pub fn position_after(&mut self, selection: EventRef) -> Result<EventPosition, PastError> {
        let at = self.position(selection)?;
        if selection.event.is_none() {
            return Ok(at);
        }
        Ok(self.calls.following(at)?.unwrap_or(at))
    }

    /// The selection of an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn selection_of(&mut self, at: EventPosition) -> Result<EventRef, PastError> {
        let calls = &mut self.calls;
        let call = calls.shown(at.node);
        let what = calls.event_at(at, |_, seen| (seen.site.what, seen.node == Some(at.node)))?;
        let event = match what {
            Some((Traced::Enter | Traced::Born, true)) => Some(0),
            Some((Traced::Return | Traced::Leave, true)) | None => None,
            Some(_) => self.number_of_event(at)?.map(|row| row + 1),
        };
        Ok(EventRef { call, event })
    }

    /// A selected event with its place in the source.
    ///
    /// # Errors
    /// As [`Recording::position`].
    pub fn shown_at(&mut self, selection: EventRef) -> Result<EventShownAt, PastError> {
        let at = self.position(selection)?;
        let line = self.line_at(at)?;
        let calls = &self.calls;
        let thread = calls.thread_of(at.node).unwrap_or_default();
        let method = calls.method(at.node);
        let class = method.map(|method| method.class.to_string()).unwrap_or_default();
        let file = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        Ok(EventShownAt { selection, thread, class, file, line })
    }

    /// The source line of an event; at the end of a call, that of its last event with a line.
    pub(crate) fn line_at(&mut self, at: EventPosition) -> Result<Option<u32>, PastError> {
        let shown = self.event_shown(at)?;
        if let Some(line) = shown.line {
            return Ok(Some(line.into()));
        }
        Ok(self.calls.called_from(at)?.map(u32::from))
    }
}

impl Recording {
    fn index(&mut self, node: u32) -> EventIndex {
        let known = self.kept.indexes.iter().position(|index| index.node == node);
        known.and_then(|at| self.kept.indexes.remove(at)).unwrap_or_else(|| EventIndex::new(node))
    }

    fn keep(&mut self, index: EventIndex) {
        self.kept.indexes.push_front(index);
        self.kept.indexes.truncate(INDEXES);
    }

    /// Applies `work` to the index of a call.
    fn with_index<T>(
        &mut self,
        node: u32,
        work: impl FnOnce(&mut EventIndex, &mut Calls) -> Result<T, PastError>,
    ) -> Result<T, PastError> {
        let mut index = self.index(node);
        let done = work(&mut index, &mut self.calls);
        self.keep(index);
        done
    }

    /// The local variables of a call before one of the last events up to a position, if that was read
    /// already.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals_before(&mut self, at: EventPosition) -> Result<Option<WrittenLocals>, PastError> {
        self.with_index(at.node, |index, _| {
            let behind = index.kept.partition_point(|kept| kept.at.is_before(at));
            Ok(behind.checked_sub(1).and_then(|last| index.kept.get(last)).cloned())
        })
    }

    /// The local variables of a call before one of its last events. Reads the events that are not known yet.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals_at_end(&mut self, node: u32) -> Result<Option<WrittenLocals>, PastError> {
        self.count_events(node)?;
        self.with_index(node, |index, _| Ok(index.kept.last().cloned()))
    }

    /// Recalls the local variables of a call near a position, so that few events are read for those at it.
    pub fn resume_locals(&mut self, at: EventPosition) -> Result<(), PastError> {
        if let Some(locals) = self.locals_before(at)? {
            self.kept.locals = KnownLocals::with(&mut self.calls, &locals)?;
        }
        Ok(())
    }

    /// Number of events of a call that are known, and whether these are all. Looks for more for about this
    /// long.
    pub(crate) fn known_events(&mut self, node: u32, most: Duration) -> Result<(u64, bool), PastError> {
        self.with_index(node, |index, calls| {
            index.extend(calls, Until::Time(Instant::now() + most))?;
            Ok((index.count, index.is_complete))
        })
    }

    /// Number of events of a call.
    pub(crate) fn count_events(&mut self, node: u32) -> Result<u64, PastError> {
        self.with_index(node, |index, calls| {
            index.extend(calls, Until::Count(u64::MAX))?;
            Ok(index.count)
        })
    }

    /// The event of a call in a row, from 0.
    pub(crate) fn event_at(&mut self, node: u32, row: u64) -> Result<Option<EventPosition>, PastError> {
        Ok(self.events_from(node, row, 1)?.first().copied())
    }

    /// At most `limit` events of a call, from a row on.
    pub(crate) fn events_from(
        &mut self,
        node: u32,
        row: u64,
        limit: usize,
    ) -> Result<Vec<EventPosition>, PastError> {
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
    pub(crate) fn number_of_event(&mut self, at: EventPosition) -> Result<Option<u64>, PastError> {
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
