//! Caches of a recording: the chunks read last, marks inside them where decoding can start, and decoded
//! writes.

use super::calls::Calls;
use super::decode::{Decoder, Event};
use super::error::TraceError;
use super::event_cache::{CHUNKS, CallContext, Chunk, Mark};
use super::event_time::ChunkOffset;
use super::sites::Site;
use std::collections::HashSet;
use std::sync::Arc;
use wire::recording::Traced;

/// Minimum distance between two marks, in bytes.
const STRIDE: u32 = 4096;

impl CallContext {
    /// Advances over an event. Returns the event's call and, for an entry or end, the caller.
    pub fn go(&mut self, site: &Site, calls: &Calls) -> (Option<u32>, Option<u32>) {
        match site.what {
            Traced::Enter => {
                let around = self.inside;
                self.inside = Some(self.next);
                self.next = self.next.saturating_add(1);
                (self.inside, around)
            }
            Traced::Return | Traced::Leave => match self.open_call_of(site.method, calls) {
                Some(node) => {
                    self.inside = calls.parent(node);
                    (Some(node), self.inside)
                }
                None => (self.inside, None),
            },
            Traced::Catch => {
                self.inside = self.open_call_of(site.method, calls).or(self.inside);
                (self.inside, None)
            }
            _ => (self.inside, None),
        }
    }

    /// The innermost open call of a method. Calls inside it whose ends were not recorded have ended: a
    /// constructor cannot record that the constructor of its superclass threw an exception.
    fn open_call_of(&self, method: u32, calls: &Calls) -> Option<u32> {
        let mut open = self.inside;
        while let Some(call) = open.filter(|call| calls.method_number(*call) != Some(method)) {
            open = calls.parent(call);
        }
        open
    }
}

impl Calls {
    /// The events of a chunk.
    pub(super) fn chunk(&mut self, number: u32) -> Result<Arc<Vec<u8>>, TraceError> {
        if let Some(at) = self.recent.chunks.iter().position(|chunk| chunk.number == number) {
            if at > 0 {
                let chunk = self.recent.chunks.remove(at);
                chunk.into_iter().for_each(|chunk| self.recent.chunks.push_front(chunk));
            }
        } else {
            let recent = &mut self.recent;
            let length = self.source.chunk(number).and_then(|chunk| usize::try_from(chunk.length).ok());
            let more = length.unwrap_or(0);
            let mut buffer = Vec::new();
            while (recent.bytes.saturating_add(more) > recent.most || recent.chunks.len() >= CHUNKS)
                && let Some(oldest) = recent.chunks.pop_back()
            {
                recent.bytes -= oldest.events.len();
                buffer = Arc::try_unwrap(oldest.events).unwrap_or_default();
            }
            let events = self.source.read_into(number, buffer)?.ok_or(TraceError::ChunkChanged(number))?;
            let events = Arc::new(events);
            recent.bytes += events.len();
            recent.chunks.push_front(Chunk { number, events, marks: None });
        }
        Ok(self.recent.chunks.front().map_or_else(Arc::default, |chunk| chunk.events.clone()))
    }

    /// The last mark at or before a position; the chunk's start if there is none.
    pub(super) fn mark_before(&mut self, (number, at): ChunkOffset) -> Result<Mark, TraceError> {
        let (turn, next, inside) = self.beginning(number);
        let first = Mark { at: 0, along: CallContext { turn, next, inside } };
        if at < STRIDE {
            return Ok(first);
        }
        let events = self.chunk(number)?;
        let known = self.recent.chunks.front().and_then(|chunk| chunk.marks.clone());
        let marks = known.unwrap_or_else(|| self.marks(&events, first));
        if let Some(chunk) = self.recent.chunks.front_mut() {
            chunk.marks = Some(marks.clone());
        }
        let behind = marks.partition_point(|mark| mark.at <= at);
        Ok(behind.checked_sub(1).and_then(|before| marks.get(before)).copied().unwrap_or(first))
    }

    fn marks(&self, events: &[u8], first: Mark) -> Arc<[Mark]> {
        let mut decoder = Decoder::of_writes(&self.sites, events);
        let (mut along, mut values) = (first.along, Vec::new());
        let mut marks = vec![first];
        let mut next = STRIDE;
        loop {
            let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
            if at >= next {
                marks.push(Mark { at, along });
                next = at.saturating_add(STRIDE);
            }
            match decoder.next(&mut values, None) {
                Ok(Some(Event::Turn(turn))) => along.turn = turn,
                Ok(Some(Event::At(site) | Event::Around(site))) => _ = along.go(site, self),
                Ok(Some(Event::End(_))) => {}
                // A reader that goes on from the last mark reports the error.
                Ok(None) | Err(_) => return marks.into(),
            }
        }
    }

    /// The addresses of the sites that write a field.
    pub(super) fn sites_of(&mut self, field: u32) -> Arc<HashSet<usize>> {
        if let Some(known) = self.recent.fields.get(&field) {
            return known.clone();
        }
        let named = usize::try_from(field).ok().and_then(|field| self.fields.get(field));
        // Another part of an object, such as its creation, is no field.
        let Some((class, name)) = named else { return Arc::default() };
        let writes = |site: &&Site| {
            site.written.as_ref().is_some_and(|written| {
                written.name == *name && !written.class.is_empty() && self.sites.declares(written) == *class
            })
        };
        let all = self.sites.all().filter(writes);
        let found: Arc<HashSet<usize>> = Arc::new(all.map(address).collect());
        self.recent.fields.insert(field, found.clone());
        found
    }
}

/// The address of a site in memory, which identifies it.
pub(super) fn address(site: &Site) -> usize {
    std::ptr::from_ref(site).addr()
}
