//! Visits the events of a thread in order, each with its call.

use super::calls::Calls;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::event_time::ChunkOffset;
use super::sites::{Method, Site};
use wire::recording::Traced;

/// An event with its site, values and call.
#[derive(Debug)]
pub struct TracedEvent<'a> {
    /// The event's site.
    pub site: &'a Site,
    /// The recorded values.
    pub values: &'a [Value],
    /// The event's call; for an entry, the entered call.
    pub node: Option<u32>,
    /// The caller of `node`, at its entry and its end, and where it continues after an entry that was not
    /// recorded. `None` at other events, of which there are many more.
    pub around: Option<u32>,
    /// True when the call's entry was not recorded and the call continues here.
    pub is_around: bool,
    /// The thread's turn, which orders the events of all threads. After missing events it may be too low.
    pub turn: u64,
    /// Position in the events.
    pub(super) place: ChunkOffset,
}

impl TracedEvent<'_> {
    /// The method in which the event happened.
    pub fn method<'c>(&self, calls: &'c Calls) -> Option<&'c Method> {
        match self.site.what {
            Traced::Contents | Traced::Start | Traced::Text | Traced::Raised => calls.method(self.node?),
            _ => calls.sites.method(self.site.method),
        }
    }
}

impl TracedEvent<'_> {
    /// Where a walk begins that visits this event first.
    pub fn walk_position(&self) -> WalkPosition {
        WalkPosition(self.place)
    }

    /// The source line of the event, if known. Of an exception that no recorded `athrow` has thrown
    /// ([`Traced::Raised`]), it is the line in the event's call where the exception came.
    pub fn line(&self) -> Option<u16> {
        match (self.site.what, self.values) {
            (Traced::Raised, [_, Value::Int(line)]) => u16::try_from(*line).ok().filter(|line| *line > 0),
            _ => self.site.line,
        }
    }
}

/// How to go on after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkControl {
    /// Go to the next event.
    Next,
    /// Skip to the end of the event's call, if that is known; otherwise go to the next event.
    SkipCall,
    /// Stop the walk.
    Stop,
}

/// Where a paused walk continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkPosition(ChunkOffset);

impl Calls {
    /// Visits the events of a call and of all calls below it, at most `most` of them. Returns where to
    /// continue, or `None` at the end.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk_on(
        &mut self,
        thread: u32,
        node: u32,
        from: Option<WalkPosition>,
        most: u64,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<Option<WalkPosition>, TraceError> {
        let Some(begins) = from.map(|from| from.0).or_else(|| self.begins(node)) else { return Ok(None) };
        let (mut left, mut further) = (most.max(1), None);
        self.walk_from(thread, begins, |calls, seen| {
            let Some(less) = left.checked_sub(1) else {
                further = Some(WalkPosition(seen.place));
                return WalkControl::Stop;
            };
            left = less;
            let is_end = seen.node == Some(node) && matches!(seen.site.what, Traced::Return | Traced::Leave);
            match visit(calls, seen) {
                _ if is_end => WalkControl::Stop,
                then => then,
            }
        })?;
        Ok(further)
    }

    /// Visits the events of a thread, or of one call and all calls below it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk(
        &mut self,
        thread: u32,
        node: Option<u32>,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<(), TraceError> {
        let begins = match node {
            None => (0, 0),
            Some(node) => match self.begins(node) {
                Some(place) => place,
                None => return Ok(()),
            },
        };
        self.walk_from(thread, begins, |calls, seen| {
            let is_end = node.is_some()
                && seen.node == node
                && matches!(seen.site.what, Traced::Return | Traced::Leave);
            match visit(calls, seen) {
                WalkControl::Stop => WalkControl::Stop,
                _ if is_end => WalkControl::Stop,
                then => then,
            }
        })
    }

    /// Visits the events of a thread from the entry of a call on, or from a position in it, also those after
    /// its end.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk_after(
        &mut self,
        node: u32,
        from: Option<WalkPosition>,
        visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<(), TraceError> {
        let begins = from.map(|from| from.0).or_else(|| self.begins(node));
        match self.thread_number(node).zip(begins) {
            Some((thread, begins)) => self.walk_from(thread, begins, visit),
            None => Ok(()),
        }
    }

    /// Visits the events of a thread from a position on, or all of them.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn walk_thread(
        &mut self,
        thread: u32,
        from: Option<WalkPosition>,
        visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<(), TraceError> {
        self.walk_from(thread, from.map_or((0, 0), |from| from.0), visit)
    }

    /// Visits the events of a thread from a position on.
    pub(super) fn walk_from(
        &mut self,
        thread: u32,
        from: ChunkOffset,
        mut visit: impl FnMut(&Calls, &TracedEvent<'_>) -> WalkControl,
    ) -> Result<(), TraceError> {
        let mut values = Vec::new();
        let mut chunks = self.chunks_of(thread).into_iter().filter(|chunk| *chunk >= from.0).peekable();
        // After a skipped call: its end, its node, and the number of the next call.
        let mut over: Option<(ChunkOffset, u32, u32)> = None;
        while let Some(chunk) = chunks.next() {
            let byte = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            let mark = self.mark_before((chunk, if chunk == from.0 { from.1 } else { 0 }))?;
            let (mut along, mut begin) = (mark.along, mark.at);
            if let Some(((_, at), node, after)) = over.take() {
                (along.next, along.inside, begin) = (after, Some(node), at);
            }
            let events = self.chunk(chunk)?;
            let mut decoder = Decoder::with_lines_from(&self.sites, &events, byte(begin));
            loop {
                let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
                let broken = |what| TraceError::Broken { thread, at: at.into(), what };
                let mut is_around = false;
                let site = match decoder.next(&mut values, None).map_err(broken)? {
                    None => break,
                    Some(Event::Turn(number)) => {
                        along.turn = number;
                        continue;
                    }
                    Some(Event::End(_)) => continue,
                    Some(Event::At(site)) => site,
                    Some(Event::Around(site)) => {
                        is_around = true;
                        site
                    }
                };
                let is_end = matches!(site.what, Traced::Return | Traced::Leave);
                let (node, around) = along.go(site, self);
                if (chunk, at) < from {
                    continue;
                }
                let begins = is_around || site.what == Traced::Enter;
                let around = around.or_else(|| node.filter(|_| begins).and_then(|node| self.parent(node)));
                let place = (chunk, at);
                self.objects.distinguish(site, &mut values);
                let turn = along.turn;
                let seen = TracedEvent { site, values: &values, node, around, is_around, turn, place };
                match visit(self, &seen) {
                    WalkControl::Stop => return Ok(()),
                    WalkControl::SkipCall if !is_end => {
                        let Some((node, end)) = node
                            .and_then(|node| Some((node, self.ends(node)?)))
                            .filter(|(_, end)| *end > (chunk, at))
                        else {
                            continue;
                        };
                        let after = node.saturating_add(1).saturating_add(self.below(node));
                        if end.0 != chunk {
                            while chunks.next_if(|next| *next < end.0).is_some() {}
                            over = Some((end, node, after));
                            break;
                        }
                        (along.next, along.inside) = (after, Some(node));
                        decoder = Decoder::with_lines_from(&self.sites, &events, byte(end.1));
                    }
                    WalkControl::SkipCall | WalkControl::Next => {}
                }
            }
        }
        Ok(())
    }
}
