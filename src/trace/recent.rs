//! What was read last of a recorded run, kept at hand: chunks of events, places in them from which reading
//! can begin, and the writes of rows.

use super::calls::{Calls, Place};
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::sites::Site;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use wire::recording::Traced;

/// Bytes of events at hand, but for one chunk.
const BYTES: usize = 64 << 20;
/// Bytes from one mark to the next, at least.
const STRIDE: u32 = 4096;
/// Writes at hand.
const WRITES: usize = 1 << 20;

/// What was read last.
#[derive(Default)]
pub(super) struct EventCache {
    /// The newest in front.
    chunks: VecDeque<Chunk>,
    bytes: usize,
    /// By row of the table of writes.
    rows: HashMap<usize, Arc<[RecordedWrite]>>,
    writes: usize,
    /// By field: the addresses of the sites at which it is written.
    fields: HashMap<u32, Arc<HashSet<usize>>>,
}

struct Chunk {
    number: u32,
    events: Arc<[u8]>,
    marks: Option<Arc<[Mark]>>,
}

/// Where in the calls of its thread an event is.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallContext {
    /// The turn of the thread.
    pub turn: u64,
    /// The number of the next call that is entered.
    pub next: u32,
    /// The innermost call that is open.
    pub inside: Option<u32>,
}

/// A place in a chunk at which an event begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The byte.
    pub at: u32,
    /// What is known there.
    pub along: CallContext,
}

/// A write to a part of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RecordedWrite {
    /// The byte in its chunk.
    pub at: u32,
    /// What was written.
    pub new: Option<Value>,
    /// What was there before, where that is recorded.
    pub found: Option<Value>,
    /// Whether it was written before its object was one.
    pub is_preset: bool,
}

impl CallContext {
    /// An event happens: the call that it is in, and the one around that where the event enters or ends a
    /// call.
    pub fn go(&mut self, site: &Site, calls: &Calls) -> (Option<u32>, Option<u32>) {
        match site.what {
            Traced::Enter => {
                let around = self.inside;
                self.inside = Some(self.next);
                self.next = self.next.saturating_add(1);
                (self.inside, around)
            }
            Traced::Return | Traced::Leave => {
                // Where the end of one inside was not recorded, that has ended too.
                let mut ended = self.inside;
                while let Some(open) = ended.filter(|node| calls.method_number(*node) != Some(site.method)) {
                    ended = calls.parent(open);
                }
                match ended {
                    Some(node) => {
                        self.inside = calls.parent(node);
                        (Some(node), self.inside)
                    }
                    None => (self.inside, None),
                }
            }
            _ => (self.inside, None),
        }
    }
}

impl Calls {
    /// The events of a chunk.
    pub(super) fn chunk(&mut self, number: u32) -> Result<Arc<[u8]>, TraceError> {
        if let Some(at) = self.recent.chunks.iter().position(|chunk| chunk.number == number) {
            if at > 0 {
                let chunk = self.recent.chunks.remove(at);
                chunk.into_iter().for_each(|chunk| self.recent.chunks.push_front(chunk));
            }
        } else {
            let events: Arc<[u8]> = self.source.read(number)?.ok_or(TraceError::ChunkChanged(number))?.into();
            let recent = &mut self.recent;
            recent.bytes += events.len();
            while recent.bytes > BYTES
                && let Some(oldest) = recent.chunks.pop_back()
            {
                recent.bytes -= oldest.events.len();
            }
            recent.chunks.push_front(Chunk { number, events, marks: None });
        }
        Ok(self.recent.chunks.front().map_or_else(|| [].into(), |chunk| chunk.events.clone()))
    }

    /// The last mark of a chunk that is not behind a place; its beginning where there is none.
    pub(super) fn mark_before(&mut self, (number, at): Place) -> Result<Mark, TraceError> {
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
                // Whoever reads on from the last mark is told what is wrong.
                Ok(None) | Err(_) => return marks.into(),
            }
        }
    }

    /// The writes of a row.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn wrote(&mut self, row: usize) -> Result<Arc<[RecordedWrite]>, TraceError> {
        if let Some(known) = self.recent.rows.get(&row) {
            return Ok(known.clone());
        }
        let mut found = Vec::new();
        self.each_written(self.writes_in(row), |calls, site, values, (_, at)| {
            let mut values = values.to_vec();
            calls.objects.distinguish(site, &mut values);
            let (new, is_preset) = (values.last().copied(), site.what == Traced::Preset);
            found.push(RecordedWrite { at, new, found: super::writes::found(site, &values), is_preset });
            true
        })?;
        let found: Arc<[RecordedWrite]> = found.into();
        let recent = &mut self.recent;
        recent.writes += found.len();
        if recent.writes > WRITES {
            recent.rows.clear();
            recent.writes = found.len();
        }
        recent.rows.insert(row, found.clone());
        Ok(found)
    }

    /// The addresses of the sites at which a field is written.
    pub(super) fn sites_of(&mut self, field: u32) -> Arc<HashSet<usize>> {
        if let Some(known) = self.recent.fields.get(&field) {
            return known.clone();
        }
        let named = usize::try_from(field).ok().and_then(|field| self.fields.get(field));
        let writes = |site: &&Site| {
            let Some((class, name)) = named else { return false };
            site.written.as_ref().is_some_and(|written| {
                written.name == *name && !written.class.is_empty() && self.sites.declares(written) == *class
            })
        };
        let all = self.sites.all().filter(writes);
        let found: Arc<HashSet<usize>> = Arc::new(all.map(address).collect());
        if named.is_some() {
            self.recent.fields.insert(field, found.clone());
        }
        found
    }
}

/// Where a site is in memory: it stays there.
pub(super) fn address(site: &Site) -> usize {
    std::ptr::from_ref(site).addr()
}
