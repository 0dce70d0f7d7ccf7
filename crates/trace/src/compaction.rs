//! Keeps the events of a run within a size on disk: drops the oldest ones while the program runs.
//!
//! When the file of events has half of the size, a thread of its own writes another file with the newest
//! quarter, behind what that needs of the events before ([`DroppedPart`]). The new file then takes the place
//! of the old one. So the events take at most the size at any time, both files together, and a kill leaves a
//! readable file. Each stored byte is copied about once.

use super::chunks::{ChunkAt, ChunkReader, ChunkWriter, header_at, make};
use super::compression::ChunkPacker;
use super::dropped_part::{DroppedCount, DroppedPart};
use super::error::TraceError;
use super::folder::{Dropped, Folder, NEW_EVENTS};
use super::pieces::{Piece, PieceReader, divided};
use super::sites::Sites;
use files::TemporaryFolder;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// The old file has at most one part in this many of the size when the new one is begun.
const FULL: u64 = 2;
/// The kept chunks have at most one part in this many of the size, unless the last one is larger.
const KEPT: u64 = 4;
/// The program waits when, meanwhile, one part in this many of the size was added.
const ADDED: u64 = 16;
/// One event of a head takes at most one part in this many of the size.
const EVENTS: u64 = 128;
/// With a limit below this many bytes, chunks are cut into pieces.
const LOW: u64 = 256_000_000;
/// A piece is about one part in this many of the limit.
const PIECE: u64 = 64;
/// Memory for the state that the dropped events left, in bytes.
const MEMORY: usize = 256 << 20;
/// The file is nearly complete when at most this many bytes are to be copied.
const REST: u64 = 1 << 20;

/// Drops the oldest events of a recording, to keep its size within a limit.
pub struct Compaction {
    folder: Folder,
    /// The limit for the events on disk, in bytes.
    limit: u64,
    dropped: Option<Dropped>,
    work: Option<Work>,
}

/// A thread that writes another file. Dropping it ends the work.
struct Work {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<NewFile, TraceError>>>,
}

impl Work {
    fn end(&mut self) -> Option<Result<NewFile, TraceError>> {
        // The thread does not panic.
        self.thread.take()?.join().ok()
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        drop(self.end());
    }
}

/// A file with the chunks of the old one up to a place.
struct NewFile {
    file: File,
    path: PathBuf,
    /// The place in the old file up to which it has the chunks.
    until: u64,
    /// Size of the file, and of its events, in bytes.
    stored: u64,
    bytes: u64,
    count: DroppedCount,
    /// Memory for a chunk.
    buffer: Vec<u8>,
    /// Removes the file if it is not used.
    _place: TemporaryFolder,
}

impl Compaction {
    /// Limits the events of a recording to this many bytes on disk.
    pub fn new(folder: &Folder, limit: u64) -> Compaction {
        Compaction { folder: folder.clone(), limit, dropped: None, work: None }
    }

    /// The largest part of the events to store uncompressed, in bytes.
    pub fn most_loose(&self) -> u64 {
        self.limit / KEPT
    }

    /// What was dropped so far.
    pub fn dropped(&self) -> Option<Dropped> {
        self.dropped
    }

    /// Whether all rings have to be read, since the file is full.
    pub fn needs_sweep(&self, writer: &ChunkWriter, swept: u64) -> bool {
        self.work.is_none() && writer.stored >= self.limit / FULL && !self.may_begin(swept)
    }

    fn may_begin(&self, swept: u64) -> bool {
        swept >= (self.limit / FULL).saturating_sub(self.limit / KEPT / 2)
    }

    /// Begins to drop events, or ends it, when it is time for that. Returns whether events may be added now.
    /// No event comes later that precedes those before the place `swept` in the file.
    ///
    /// # Errors
    /// Events cannot be read or written.
    pub fn tend(&mut self, writer: &mut ChunkWriter, swept: u64) -> Result<bool, TraceError> {
        let full = self.limit / FULL;
        match &self.work {
            None if writer.stored < full || !self.may_begin(swept) => Ok(true),
            None => {
                let stop = Arc::new(AtomicBool::new(false));
                let (folder, room, stopped) =
                    (self.folder.clone(), Room::of(self.limit, swept), stop.clone());
                let work = move || written(&folder, room, &stopped);
                let thread = std::thread::Builder::new().name("compaction".to_owned()).spawn(work);
                let thread = Some(thread.map_err(TraceError::at(self.folder.path()))?);
                self.work = Some(Work { stop, thread });
                Ok(true)
            }
            Some(work) if work.thread.as_ref().is_some_and(JoinHandle::is_finished) => {
                let made = self.work.take().and_then(|mut work| work.end());
                made.map_or(Ok(()), |made| self.replace(made?, writer))?;
                Ok(true)
            }
            Some(_) => Ok(writer.stored < full + self.limit / ADDED),
        }
    }

    /// Drops events if there are too many when all are in the file: those that came last from large rings.
    ///
    /// # Errors
    /// Events cannot be read or written.
    pub fn finish(&mut self, writer: &mut ChunkWriter) -> Result<(), TraceError> {
        self.work = None;
        if writer.stored > self.limit {
            let made = written(&self.folder, Room::of(self.limit, u64::MAX), &AtomicBool::new(false))?;
            self.replace(made, writer)?;
        }
        Ok(())
    }

    /// Puts a file in the place of the old one.
    fn replace(&mut self, mut new: NewFile, writer: &mut ChunkWriter) -> Result<(), TraceError> {
        let path = self.folder.events();
        new.copy(&path, writer.stored)?;
        let NewFile { file, path: made, stored, bytes, count, _place, .. } = new;
        std::fs::rename(made, &path).map_err(TraceError::at(&path))?;
        writer.go_on_in(file, stored, bytes);
        if count.bytes == 0 {
            return Ok(());
        }
        let dropped = self.dropped.get_or_insert(Dropped { max_size: self.limit, ..Dropped::default() });
        dropped.events += count.events;
        dropped.bytes += count.bytes;
        dropped.is_limited = count.is_limited;
        Ok(())
    }
}

impl NewFile {
    /// Adds a chunk.
    fn write(&mut self, chunk: &ChunkAt, events: &[u8]) -> Result<(), TraceError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let written = make(&mut buffer, chunk, events).and_then(|made| self.push(made, chunk.length));
        self.buffer = buffer;
        written.map_err(TraceError::at(&self.path))
    }

    /// Adds a chunk of the old file.
    fn add(&mut self, packer: &mut ChunkPacker, chunk: &ChunkAt) -> Result<(), TraceError> {
        let length = packer.pack(chunk).map_err(TraceError::at(&self.path))?;
        let made = packer.made.get(..length).unwrap_or_default();
        self.push(made, chunk.length).map_err(TraceError::at(&self.path))
    }

    fn push(&mut self, made: &[u8], bytes: u32) -> std::io::Result<()> {
        self.file.write_all(made)?;
        self.stored += u64::try_from(made.len()).unwrap_or(0);
        self.bytes += u64::from(bytes);
        Ok(())
    }

    /// Adds the chunks of the old file up to a place.
    fn copy(&mut self, old: &Path, until: u64) -> Result<(), TraceError> {
        let events = File::open(old).map_err(TraceError::at(old))?;
        let mut packer = ChunkPacker::new(old, &events).map_err(TraceError::at(old))?;
        while let Some(chunk) = header_at(&events, self.until, until) {
            self.add(&mut packer, &chunk)?;
            self.until = chunk.end();
        }
        Ok(())
    }
}

/// What a new file may have.
#[derive(Clone, Copy)]
struct Room {
    /// The most bytes of kept events on disk.
    kept: u64,
    /// The most events of the heads.
    events: usize,
    /// Memory for making them, in bytes.
    memory: usize,
    /// Size of the parts between which the events are cut, in bytes; `None` to cut between chunks.
    piece: Option<usize>,
    /// Only chunks before this place in the file may be dropped: no event that precedes one of theirs comes
    /// later.
    until: u64,
}

impl Room {
    /// For a limit of the events on disk, in bytes.
    fn of(limit: u64, until: u64) -> Room {
        let events = usize::try_from(limit / EVENTS).unwrap_or(usize::MAX);
        // A ring holds more than a small part of a low limit.
        let piece = (limit < LOW).then(|| usize::try_from(limit / PIECE).unwrap_or(usize::MAX));
        Room { kept: limit / KEPT, events, memory: MEMORY, piece, until }
    }
}

/// The number of the first kept piece.
fn first_kept(pieces: &[Piece], room: Room) -> usize {
    let most = pieces.iter().take_while(|piece| piece.chunk.end() <= room.until).count();
    let mut size = 0;
    let fits = |piece: &&Piece| {
        size += piece.stored();
        !piece.chunk.is_head && size <= room.kept
    };
    let kept = pieces.iter().rev().take_while(fits).count().max(1);
    pieces.len().saturating_sub(kept).min(most)
}

/// Writes a file without the oldest events.
fn written(folder: &Folder, room: Room, stop: &AtomicBool) -> Result<NewFile, TraceError> {
    let old = folder.events();
    let (reader, chunks, _) = ChunkReader::open(&old)?;
    // The agent reports sites before their events, so read the report after the chunks were found.
    let sites = Sites::read(folder, None)?;
    let place = TemporaryFolder::new_in(NEW_EVENTS, folder.path()).map_err(TraceError::at(folder.path()))?;
    let path = place.path().join("events");
    let file = files::create_new(&path).map_err(TraceError::at(&path))?;
    let mut pieces_of = PieceReader::new(reader.again());
    let pieces = match room.piece {
        Some(size) => divided(&mut pieces_of, &sites, &chunks, size, stop)?,
        None => chunks.iter().map(Piece::whole).collect(),
    };
    let (dropped, until) = (first_kept(&pieces, room), chunks.last().map_or(0, ChunkAt::end));
    let (count, buffer) = (DroppedCount::default(), Vec::new());
    let mut new = NewFile { file, path, until, stored: 0, bytes: 0, count, buffer, _place: place };
    let Room { events: most, memory, .. } = room;
    let events = File::open(&old).map_err(TraceError::at(&old))?;
    let mut packer = ChunkPacker::new(&old, &events).map_err(TraceError::at(&old))?;
    let reader = PieceReader::new(reader);
    let part = DroppedPart { reader, sites: &sites, pieces: &pieces, dropped, memory, most, stop };
    let count = part.write_heads(&mut |chunk, events| new.write(chunk, events))?;
    for piece in pieces.iter().skip(dropped) {
        if stop.load(Ordering::Relaxed) {
            return Err(TraceError::Interrupted);
        }
        if piece.is_whole() {
            new.add(&mut packer, &piece.chunk)?;
        } else {
            let events = pieces_of.events(&piece.chunk)?;
            new.write(&piece.alone(), piece.of(&events))?;
        }
    }
    new.count = count;
    loop {
        let end = std::fs::metadata(&old).map_err(TraceError::at(&old))?.len();
        if stop.load(Ordering::Relaxed) {
            return Err(TraceError::Interrupted);
        }
        // Not all at once, so that it can be stopped.
        new.copy(&old, end.min(new.until + 8 * REST))?;
        if end.saturating_sub(new.until) < REST {
            return Ok(new);
        }
    }
}

#[cfg(test)]
mod tests;
