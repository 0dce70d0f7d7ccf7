//! Moves from one event of a call to the next or the previous one.

use super::calls::Calls;
use super::error::TraceError;
use super::event_time::{ChunkOffset, EventTime};
use super::walk::{TracedEvent, WalkControl};
use std::collections::VecDeque;
use wire::recording::{Level, Traced};

/// Maximum number of preceding events searched for the line of a call site.
const LOOKED_AT: usize = 64;

/// The position of an event of a call: its entry, its end, an event in its body, or the entry of a callee.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventPosition {
    /// The call's node.
    pub node: u32,
    place: ChunkOffset,
}

impl TracedEvent<'_> {
    /// The position of this event; `None` outside any call.
    pub fn position(&self) -> Option<EventPosition> {
        Some(EventPosition { node: self.node?, place: self.place })
    }
}

impl TracedEvent<'_> {
    /// Whether this event is at that position.
    pub fn is_at(&self, at: EventPosition) -> bool {
        self.place == at.place
    }
}

impl EventPosition {
    /// The position of a call's event at a time of its thread.
    pub fn new(node: u32, when: EventTime) -> EventPosition {
        EventPosition { node, place: when.place }
    }

    /// The same event, as an event of this call: the entry of a callee is an event of its caller too.
    #[must_use]
    pub fn in_call(self, node: u32) -> EventPosition {
        EventPosition { node, ..self }
    }

    /// Its place in its thread as text, for [`EventPosition::parse`].
    pub fn text(self) -> String {
        format!("{}-{}", self.place.0, self.place.1)
    }

    /// A position of a call's event from the text of its place. There may be no event.
    pub fn parse(node: u32, text: &str) -> Option<EventPosition> {
        let (chunk, byte) = text.split_once('-')?;
        Some(EventPosition { node, place: (chunk.parse().ok()?, byte.parse().ok()?) })
    }

    /// Its place in its thread.
    pub(super) fn place(self) -> ChunkOffset {
        self.place
    }

    /// Whether `later` belongs to the same call and is this event or a later one.
    pub fn is_before(self, later: EventPosition) -> bool {
        self.node == later.node && self.place <= later.place
    }
}

/// Whether an event belongs to a call. The entries of its callees do; the events inside the callees do not.
fn is_own(seen: &TracedEvent<'_>, node: u32) -> bool {
    match seen.site.what {
        Traced::Born => false,
        Traced::Enter => seen.node == Some(node) || seen.around == Some(node),
        _ => seen.node == Some(node),
    }
}

impl Calls {
    /// The position of a call's entry.
    pub fn entry(&self, node: u32) -> Option<EventPosition> {
        self.begins(node).map(|place| EventPosition { node, place })
    }

    /// The time of a call's entry. Its turn is 0: among the events of its thread, the place decides.
    pub fn time_of_entry(&self, node: u32) -> Option<EventTime> {
        self.begins(node).map(|place| EventTime { turn: 0, place })
    }

    /// The time of a call's end, like [`Calls::time_of_entry`]; `None` if it was not recorded.
    pub fn time_of_end(&self, node: u32) -> Option<EventTime> {
        self.ends(node).map(|place| EventTime { turn: 0, place })
    }

    /// The position of a call's end, if it was recorded.
    pub fn end(&self, node: u32) -> Option<EventPosition> {
        self.ends(node).map(|place| EventPosition { node, place })
    }

    /// The position in the caller at which a call is made.
    pub fn made_at(&self, node: u32) -> Option<EventPosition> {
        Some(EventPosition { node: self.parent(node)?, place: self.begins(node)? })
    }

    /// The time of an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn when_at(&mut self, at: EventPosition) -> Result<EventTime, TraceError> {
        self.when(at.place)
    }

    /// The line of the call site at an event, taken from the last preceding event with a line. `None` where
    /// lines are not recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn called_from(&mut self, at: EventPosition) -> Result<Option<u16>, TraceError> {
        let has_lines = self.method(at.node).is_some_and(|method| method.level == Level::All);
        let mut before = at;
        for _ in 0..if has_lines { LOOKED_AT } else { 0 } {
            let Some(found) = self.preceding(before)? else { break };
            before = found;
            let line = self.event_at(found, |_, seen| {
                let is_own = seen.node == Some(at.node) && seen.site.what != Traced::Enter;
                seen.site.line.filter(|_| is_own)
            })?;
            if let Some(line) = line.flatten() {
                return Ok(Some(line));
            }
        }
        Ok(None)
    }

    /// Applies `tell` to the event at a position.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event_at<R>(
        &mut self,
        at: EventPosition,
        tell: impl FnOnce(&Calls, &TracedEvent<'_>) -> R,
    ) -> Result<Option<R>, TraceError> {
        let Some(thread) = self.thread_number(at.node) else { return Ok(None) };
        let (mut tell, mut result) = (Some(tell), None);
        self.walk_from(thread, at.place, |calls, seen| {
            result = tell.take().map(|tell| tell(calls, seen));
            WalkControl::Stop
        })?;
        Ok(result)
    }

    /// The next event of the call; `None` after its end.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn following(&mut self, at: EventPosition) -> Result<Option<EventPosition>, TraceError> {
        let mut found = None;
        self.own_from(at.node, at.place, |_, seen| {
            if seen.place == at.place {
                return true;
            }
            found = Some(EventPosition { node: at.node, place: seen.place });
            false
        })?;
        Ok(found)
    }

    /// Visits the events of a call from its entry up to, not including, `at`.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn events_until(
        &mut self,
        at: EventPosition,
        visit: impl FnMut(&Calls, &TracedEvent<'_>),
    ) -> Result<(), TraceError> {
        self.entry(at.node).map_or(Ok(()), |entry| self.events_between(entry, at, visit))
    }

    /// Visits the events of a call from `from` up to, not including, `at`.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn events_between(
        &mut self,
        from: EventPosition,
        at: EventPosition,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>),
    ) -> Result<(), TraceError> {
        self.own_from(at.node, from.place, |calls, seen| {
            let goes_on = seen.place < at.place;
            if goes_on {
                visit(calls, seen);
            }
            goes_on
        })
    }

    /// Visits the events of a call after `at`, until `visit` returns false.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn events_after(
        &mut self,
        at: EventPosition,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<(), TraceError> {
        self.own_from(at.node, at.place, |calls, seen| seen.place == at.place || visit(calls, seen))
    }

    fn own_from(
        &mut self,
        node: u32,
        from: ChunkOffset,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<(), TraceError> {
        let Some(thread) = self.thread_number(node) else { return Ok(()) };
        self.walk_from(thread, from, |calls, seen| {
            let is_own = is_own(seen, node);
            if is_own && !visit(calls, seen) {
                return WalkControl::Stop;
            }
            match seen.site.what {
                Traced::Return | Traced::Leave if seen.node == Some(node) => WalkControl::Stop,
                _ if seen.node == Some(node) => WalkControl::Next,
                _ => WalkControl::SkipCall,
            }
        })
    }

    /// The first event of the thread after `at` that satisfies the predicate, in any call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn first_event_after(
        &mut self,
        at: EventPosition,
        is_wanted: impl Fn(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<Option<EventPosition>, TraceError> {
        Ok(self.matching_after(at, None, 1, is_wanted)?.pop())
    }

    /// The last event of the thread before `at` that satisfies the predicate, in any call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn last_event_before(
        &mut self,
        at: EventPosition,
        is_wanted: impl Fn(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<Option<EventPosition>, TraceError> {
        Ok(self.matching_before(at, None, 1, is_wanted)?.pop())
    }

    /// The first events of the thread after `at`, and before `until`, that satisfy the predicate: at most
    /// `limit`, in their order.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn matching_after(
        &mut self,
        at: EventPosition,
        until: Option<EventPosition>,
        limit: usize,
        is_wanted: impl Fn(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<Vec<EventPosition>, TraceError> {
        let Some(thread) = self.thread_number(at.node) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        self.walk_from(thread, at.place, |calls, seen| {
            if until.is_some_and(|until| seen.place >= until.place) {
                return WalkControl::Stop;
            }
            if seen.place > at.place && is_wanted(calls, seen) {
                found.extend(seen.position());
            }
            if found.len() >= limit { WalkControl::Stop } else { WalkControl::Next }
        })?;
        Ok(found)
    }

    /// Some of the last events of the thread before `at`, and after `from`, that satisfy the predicate: at
    /// most `limit`, in their order. All such events between the first one and `at` are listed. Empty if
    /// there is no such event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn matching_before(
        &mut self,
        at: EventPosition,
        from: Option<EventPosition>,
        limit: usize,
        is_wanted: impl Fn(&Calls, &TracedEvent<'_>) -> bool,
    ) -> Result<Vec<EventPosition>, TraceError> {
        let Some(thread) = self.thread_number(at.node) else { return Ok(Vec::new()) };
        let from = from.map_or((0, 0), |from| (from.place.0, from.place.1.saturating_add(1)));
        let is_between = |chunk: &u32| (from.0..=at.place.0).contains(chunk);
        let chunks = self.chunks_of(thread).into_iter().rev().filter(is_between);
        for chunk in chunks {
            let mut last = VecDeque::new();
            self.walk_from(thread, from.max((chunk, 0)), |calls, seen| {
                if seen.place.0 != chunk || seen.place >= at.place {
                    return WalkControl::Stop;
                }
                if is_wanted(calls, seen)
                    && let Some(found) = seen.position()
                {
                    if last.len() >= limit {
                        last.pop_front();
                    }
                    last.push_back(found);
                }
                WalkControl::Next
            })?;
            if !last.is_empty() {
                return Ok(last.into());
            }
        }
        Ok(Vec::new())
    }

    /// The last event of a thread before a time; `None` if it had none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn last_before(&mut self, thread: u32, when: EventTime) -> Result<Option<EventPosition>, TraceError> {
        for chunk in self.chunks_of(thread).into_iter().rev() {
            if self.beginning(chunk).0 > when.turn {
                continue;
            }
            let mut last = None;
            self.walk_from(thread, (chunk, 0), |_, seen| {
                if seen.place.0 != chunk || seen.when() >= when {
                    return WalkControl::Stop;
                }
                last = seen.position().or(last);
                WalkControl::Next
            })?;
            if last.is_some() {
                return Ok(last);
            }
        }
        Ok(None)
    }

    /// When the last event of a thread was that is no [`Traced::Leave`]: behind it, at most an exception
    /// leaves calls. `None` if there was none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn last_but_leaves(&mut self, thread: u32) -> Result<Option<EventTime>, TraceError> {
        for chunk in self.chunks_of(thread).into_iter().rev() {
            let mut last = None;
            self.walk_from(thread, (chunk, 0), |_, seen| {
                if seen.place.0 != chunk {
                    return WalkControl::Stop;
                }
                if seen.site.what != Traced::Leave {
                    last = Some(seen.when());
                }
                WalkControl::Next
            })?;
            if last.is_some() {
                return Ok(last);
            }
        }
        Ok(None)
    }

    /// The previous event of the call; `None` before its entry.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn preceding(&mut self, at: EventPosition) -> Result<Option<EventPosition>, TraceError> {
        let node = at.node;
        let (Some(thread), Some(begins)) = (self.thread_number(node), self.begins(node)) else {
            return Ok(None);
        };
        for chunk in self.chunks_of(thread).into_iter().rev() {
            if chunk > at.place.0 || chunk < begins.0 {
                continue;
            }
            let mut last = None;
            self.walk_from(thread, (chunk, 0).max(begins), |_, seen| {
                if seen.place.0 != chunk || seen.place >= at.place {
                    return WalkControl::Stop;
                }
                if is_own(seen, node) {
                    last = Some(seen.place);
                }
                WalkControl::Next
            })?;
            // The previous event may be the entry of a callee that began before this chunk.
            let (_, _, inside) = self.beginning(chunk);
            let mut made = inside.filter(|_| last.is_none());
            while let Some(call) = made.filter(|call| self.parent(*call) != Some(node)) {
                made = self.parent(call);
            }
            let place = last.or(made.and_then(|call| self.begins(call)));
            if let Some(place) = place.filter(|place| *place < at.place) {
                return Ok(Some(EventPosition { node, place }));
            }
        }
        Ok(None)
    }
}
