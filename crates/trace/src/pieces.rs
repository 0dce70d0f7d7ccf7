//! Parts of chunks, at which a recording can be cut.

use super::chunks::{ChunkAt, ChunkReader};
use super::decode::{Decoder, Event};
use super::error::TraceError;
use super::sites::Sites;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of chunks to remember.
const REMEMBERED: usize = 16;

/// Some events of a chunk that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// The chunk.
    pub chunk: ChunkAt,
    /// The bytes of the chunk where they begin and end.
    pub from: u32,
    pub to: u32,
}

impl Piece {
    /// All events of a chunk.
    pub fn whole(chunk: &ChunkAt) -> Piece {
        Piece { chunk: *chunk, from: 0, to: chunk.length }
    }

    pub fn is_whole(&self) -> bool {
        self.from == 0 && self.to == self.chunk.length
    }

    /// Number of bytes the thread had written before these events.
    pub fn at(&self) -> u64 {
        if self.chunk.is_head { self.chunk.at } else { self.chunk.at + u64::from(self.from) }
    }

    /// Number of bytes the thread had written after these events.
    pub fn next(&self) -> u64 {
        if self.chunk.is_head { self.chunk.at } else { self.chunk.at + u64::from(self.to) }
    }

    /// Size on disk, about, in bytes.
    pub fn stored(&self) -> u64 {
        let part = u64::from(self.to.saturating_sub(self.from));
        self.chunk.stored() * part / u64::from(self.chunk.length.max(1))
    }

    /// A chunk of these events alone.
    pub fn alone(&self) -> ChunkAt {
        let length = usize::try_from(self.to.saturating_sub(self.from)).unwrap_or(0);
        ChunkAt::left(self.chunk.thread, self.at(), length)
    }

    /// These events, among all of the chunk.
    pub fn of<'e>(&self, events: &'e [u8]) -> &'e [u8] {
        let [from, to] = [self.from, self.to].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        events.get(from..to).unwrap_or_default()
    }
}

/// Reads chunks, and remembers the last ones of some threads.
pub struct PieceReader {
    reader: ChunkReader,
    remembered: BTreeMap<u32, (u64, Arc<Vec<u8>>)>,
}

impl PieceReader {
    pub fn new(reader: ChunkReader) -> PieceReader {
        PieceReader { reader, remembered: BTreeMap::new() }
    }

    /// The events of a whole chunk.
    ///
    /// # Errors
    /// They cannot be read, or were changed.
    pub fn events(&mut self, chunk: &ChunkAt) -> Result<Arc<Vec<u8>>, TraceError> {
        if self.remembered.len() >= REMEMBERED && !self.remembered.contains_key(&chunk.thread) {
            self.remembered.clear();
        }
        let (end, known) = self.remembered.entry(chunk.thread).or_default();
        if *end != chunk.end() {
            // The memory is used again, unless the last events are still in use.
            let mut events = std::mem::take(known);
            *end = 0;
            let buffer = Arc::make_mut(&mut events);
            if !self.reader.read_into(chunk, buffer)? {
                return Err(TraceError::at(self.reader.path())(std::io::ErrorKind::InvalidData.into()));
            }
            (*end, *known) = (chunk.end(), events);
        }
        Ok(known.clone())
    }
}

/// Divides chunks into pieces of about `size` bytes, in the order of their turns: large chunks of several
/// threads can be of the same time.
///
/// # Errors
/// Events cannot be read; [`TraceError::Interrupted`] when `stop` is set.
pub fn divided(
    reader: &mut PieceReader,
    sites: &Sites,
    chunks: &[ChunkAt],
    size: usize,
    stop: &AtomicBool,
) -> Result<Vec<Piece>, TraceError> {
    let (mut found, mut turns): (Vec<(u64, Piece)>, BTreeMap<u32, u64>) = Default::default();
    for chunk in chunks {
        if stop.load(Ordering::Relaxed) {
            return Err(TraceError::Interrupted);
        }
        if chunk.is_head {
            found.push((0, Piece::whole(chunk)));
        }
        let turn = turns.entry(chunk.thread).or_default();
        let events = reader.events(chunk)?;
        let (mut decoder, mut values) = (Decoder::of_writes(sites, &events), Vec::new());
        let (mut from, mut first) = (0, *turn);
        loop {
            let at = decoder.at();
            let broken = |what| TraceError::Broken { thread: chunk.thread, at: chunk.at, what };
            let event = decoder.next(&mut values, None).map_err(broken)?;
            let is_end = event.is_none();
            if !chunk.is_head && at > from && (is_end || at - from >= size) {
                let [begin, end] = [from, at].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
                found.push((first, Piece { chunk: *chunk, from: begin, to: end }));
                (from, first) = (at, *turn);
            }
            match event {
                Some(Event::Turn(next)) => {
                    *turn = next;
                    first = if at == from { next } else { first };
                }
                Some(_) => {}
                None => break,
            }
        }
    }
    found.sort_by_key(|(turn, _)| *turn);
    Ok(found.into_iter().map(|(_, piece)| piece).collect())
}
