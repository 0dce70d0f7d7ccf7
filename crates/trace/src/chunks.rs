//! The file of events: a sequence of chunks, each from one thread. Compressed ones can be in a second file
//! (`compression`). A truncated file can be read up to its last whole chunk.

use super::error::TraceError;
use platform::resources::reserve;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The first four bytes of each chunk.
const MAGIC: u32 = u32::from_le_bytes(*b"QPC1");
/// The first four bytes of a chunk that stands for the dropped events of its thread (`dropped_part`).
const HEAD_MAGIC: u32 = u32::from_le_bytes(*b"QPH1");
/// Length of a chunk's header, in bytes.
const HEADER: usize = 32;
/// Maximum size of a chunk, in bytes: no ring holds more.
const LONGEST: u32 = 1 << 22;
/// Chunks up to this many bytes may not shrink and then stay uncompressed.
const SHORT: u32 = 128;
/// Uncompressed events take at most one part in this many of the free disk space.
const SPARED: u64 = 8;
/// Disk space to preallocate for uncompressed events, in bytes. Writing into preallocated space takes two
/// thirds of the time.
const ROOM: u64 = 16 << 20;

/// The location of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkAt {
    /// The number of the thread, which is that of its ring.
    pub thread: u32,
    /// Number of bytes the thread had written before this chunk, or before the part for which it stands has
    /// ended.
    pub at: u64,
    /// Whether it stands for events before `at`, which were dropped.
    pub is_head: bool,
    /// Size of the chunk's events, uncompressed, in bytes.
    pub length: u32,
    /// Offset of the stored events in the file, their size in bytes, and their checksum.
    place: (u64, u32, u32),
    /// Whether that file is the one of compressed events beside the file of events.
    is_packed: bool,
}

impl ChunkAt {
    /// A chunk outside the file: events that an interrupted recording left in a ring.
    pub fn left(thread: u32, at: u64, length: usize) -> ChunkAt {
        let (length, place) = (self::length(length), (u64::MAX, 0, 0));
        ChunkAt { thread, at, is_head: false, length, place, is_packed: false }
    }

    /// Number of bytes the thread had written when the chunk ended.
    pub fn next(&self) -> u64 {
        if self.is_head { self.at } else { self.at.saturating_add(self.length.into()) }
    }

    /// Whether the next chunk of a thread can begin here, when the chunks before it ended at byte `expected`.
    pub fn follows(&self, expected: u64) -> bool {
        self.at == expected || self.is_head && expected == 0
    }

    /// A chunk that stands for the events of a thread before byte `at`.
    pub(super) fn head(thread: u32, at: u64, length: usize) -> ChunkAt {
        ChunkAt { is_head: true, ..ChunkAt::left(thread, at, length) }
    }

    /// Whether the chunk was left in a ring.
    pub fn is_left(&self) -> bool {
        self.place.0 == u64::MAX
    }

    /// Whether the chunk's events are stored uncompressed.
    pub(super) fn is_loose(&self) -> bool {
        self.place.1 == self.length
    }

    /// Whether the chunk is in the file of events, uncompressed although it may shrink.
    pub fn may_shrink(&self) -> bool {
        !self.is_left() && self.is_loose() && self.length > SHORT
    }

    /// Whether two places hold the same part of a thread's events.
    pub fn is_same(&self, other: &ChunkAt) -> bool {
        let of = |chunk: &ChunkAt| (chunk.thread, chunk.at, chunk.length, chunk.is_head);
        of(self) == of(other)
    }

    /// Offset and size of the stored events in the file of events.
    pub(super) fn body(&self) -> (u64, u32) {
        (self.place.0, self.place.1)
    }

    /// Size on disk with the header, in bytes.
    pub(super) fn stored(&self) -> u64 {
        u64::from(length(HEADER)) + u64::from(self.place.1)
    }

    /// Offset behind the chunk in its file.
    pub(super) fn end(&self) -> u64 {
        self.place.0 + u64::from(self.place.1)
    }
}

/// Appends chunks to the file of events.
pub struct ChunkWriter {
    path: PathBuf,
    file: File,
    chunk: Vec<u8>,
    /// Number of bytes of events that may still be stored uncompressed.
    loose: u64,
    /// End of the preallocated space; `u64::MAX` when preallocation is not possible.
    room: u64,
    /// Size of the file, in bytes.
    pub stored: u64,
    /// Size of the events in it, uncompressed, in bytes.
    pub bytes: u64,
}

impl ChunkWriter {
    /// Opens an existing, empty file.
    pub fn open(path: &Path) -> Result<ChunkWriter, TraceError> {
        let file = File::options().append(true).open(path).map_err(TraceError::at(path))?;
        let (path, chunk) = (path.to_owned(), Vec::new());
        Ok(ChunkWriter { path, file, chunk, loose: 0, room: 0, stored: 0, bytes: 0 })
    }

    /// Goes on in another file, which has taken the place of this one. All further chunks are compressed.
    pub fn go_on_in(&mut self, file: File, stored: u64, bytes: u64) {
        (self.file, self.stored, self.bytes) = (file, stored, bytes);
        (self.loose, self.room) = (0, 0);
    }

    /// Stores the first events uncompressed, up to `most` bytes and a part of the free disk space.
    /// Compressing takes longer than writing, and a fast program would wait for it.
    /// [`pack_for_a_moment`](super::compression::pack_for_a_moment) compresses these chunks later.
    pub fn in_haste(mut self, most: u64) -> ChunkWriter {
        let free = free(&self.file).unwrap_or(0) / SPARED;
        self.loose = most.min(free);
        self
    }

    /// Appends whole events of a thread. After a failure the file ends with the previous chunk.
    pub fn append(&mut self, thread: u32, at: u64, events: &[u8]) -> Result<(), TraceError> {
        let written = self.write(thread, at, events);
        if written.is_err() {
            // If truncating fails too, readers stop at the last whole chunk.
            drop(self.file.set_len(self.stored));
        }
        self.stored += written.map_err(TraceError::at(&self.path))?;
        self.bytes += u64::from(length(events.len()));
        Ok(())
    }

    /// Writes a chunk and returns its size in bytes.
    fn write(&mut self, thread: u32, at: u64, events: &[u8]) -> std::io::Result<u64> {
        let bytes = u64::from(length(events.len()));
        if self.loose < bytes {
            let made = make(&mut self.chunk, &ChunkAt::left(thread, at, events.len()), events)?;
            self.file.write_all(made)?;
            return Ok(u64::try_from(made.len()).unwrap_or(u64::MAX));
        }
        self.loose -= bytes;
        self.make_room(u64::from(length(HEADER)) + bytes);
        self.file.write_all(&header(&ChunkAt::left(thread, at, events.len()), events))?;
        self.file.write_all(events)?;
        Ok(u64::from(length(HEADER)) + bytes)
    }

    /// Preallocates disk space without changing the file's length; failure is ignored.
    fn make_room(&mut self, bytes: u64) {
        if self.room < self.stored.saturating_add(bytes) {
            let more = bytes.max(ROOM);
            let is_made = reserve(&self.file, self.stored, more);
            self.room = if is_made { self.stored.saturating_add(more) } else { u64::MAX };
        }
    }
}

impl Drop for ChunkWriter {
    /// Returns the space behind the last chunk. If that fails, compressing the file returns it.
    fn drop(&mut self) {
        if self.room > 0 {
            drop(self.file.metadata().and_then(|file| self.file.set_len(file.len())));
        }
    }
}

/// Free disk space on the file's file system, in bytes; `None` when the system does not report it.
pub(super) fn free(file: &File) -> Option<u64> {
    let disk = rustix::fs::fstatvfs(file).ok()?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

/// Builds a chunk from whole events of a thread, in a reusable buffer. Events that do not shrink are stored
/// uncompressed: the chunk's size then equals theirs. `chunk` says which events they are.
pub(super) fn make<'a>(buffer: &'a mut Vec<u8>, chunk: &ChunkAt, events: &[u8]) -> std::io::Result<&'a [u8]> {
    let most = HEADER + lz4_flex::block::get_maximum_output_size(events.len());
    if buffer.len() < most {
        buffer.resize(most, 0);
    }
    let (place, body) = buffer.split_at_mut(HEADER);
    let mut stored = lz4_flex::block::compress_into(events, body).map_err(std::io::Error::other)?;
    if stored >= events.len() {
        stored = events.len();
        body.get_mut(..stored).into_iter().for_each(|body| body.copy_from_slice(events));
    }
    let body = body.get(..stored).unwrap_or_default();
    place.copy_from_slice(&header(chunk, body));
    Ok(buffer.get(..HEADER + stored).unwrap_or_default())
}

/// The header of a chunk of events that are stored as `stored`.
fn header(chunk: &ChunkAt, stored: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let (said, sum) = header.split_at_mut(HEADER - 4);
    let &ChunkAt { thread, at, length: bytes, .. } = chunk;
    let magic = if chunk.is_head { HEAD_MAGIC } else { MAGIC };
    let words = [magic, thread, low(at), low(at >> 32), bytes, length(stored.len()), crc32fast::hash(stored)];
    for (place, word) in said.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    sum.copy_from_slice(&crc32fast::hash(said).to_le_bytes());
    header
}

fn low(word: u64) -> u32 {
    u32::try_from(word & u64::from(u32::MAX)).unwrap_or_default()
}

fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Extension of the file of compressed events, until it has all of them.
pub(super) const PART: &str = "part";
/// How often a reader looks again when a compressor replaces the file meanwhile.
const LOOKS: u32 = 8;

/// Reads chunks from the file of events, and from the compressed file beside it.
pub struct ChunkReader {
    path: PathBuf,
    /// Readers of several threads share it. It stays readable when another file takes its place.
    file: Arc<File>,
    /// The file of compressed events, if there is one.
    part: Option<Arc<File>>,
    packed: Vec<u8>,
}

impl ChunkReader {
    /// A reader of the same files, for another thread.
    pub fn again(&self) -> ChunkReader {
        let (path, file, part) = (self.path.clone(), self.file.clone(), self.part.clone());
        ChunkReader { path, file, part, packed: Vec::new() }
    }

    /// A reader of an open file alone.
    pub(super) fn of(path: &Path, file: File) -> ChunkReader {
        ChunkReader { path: path.to_owned(), file: Arc::new(file), part: None, packed: Vec::new() }
    }

    /// The file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file and finds its chunks. The flag tells whether bytes follow the last whole chunk.
    pub fn open(path: &Path) -> Result<(ChunkReader, Vec<ChunkAt>, bool), TraceError> {
        let mut looks = LOOKS;
        loop {
            looks -= 1;
            let file = files::open_regular(path, false).map_err(TraceError::at(path))?;
            let (mut chunks, is_torn) = headers(&file).map_err(TraceError::at(path))?;
            let part = files::open_regular(&path.with_extension(PART), false).ok();
            if let Some(part) = &part {
                let (packed, _) = headers(part).map_err(TraceError::at(path))?;
                for (chunk, packed) in chunks.iter_mut().zip(packed).take_while(|(one, two)| one.is_same(two))
                {
                    *chunk = ChunkAt { is_packed: true, ..packed };
                }
            } else if looks > 0 && !is_still_there(&file, path) {
                // The compressed file has just taken the place of the other one.
                continue;
            }
            let (path, file, part) = (path.to_owned(), Arc::new(file), part.map(Arc::new));
            return Ok((ChunkReader { path, file, part, packed: Vec::new() }, chunks, is_torn));
        }
    }

    /// Modification time of the file, in nanoseconds since 1970; 0 when the system does not report it.
    pub fn changed(&self) -> std::io::Result<u64> {
        let changed = self.file.metadata()?.modified().ok();
        let since = changed.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        Ok(since.and_then(|time| u64::try_from(time.as_nanos()).ok()).unwrap_or(0))
    }

    /// Reads a chunk of the file of events as it is stored, with its header, into a reusable buffer.
    pub(super) fn read_whole(&self, chunk: &ChunkAt, buffer: &mut Vec<u8>) -> std::io::Result<()> {
        let stored = chunk.stored();
        buffer.resize(usize::try_from(stored).unwrap_or(0), 0);
        self.file.read_exact_at(buffer, chunk.end().saturating_sub(stored))
    }

    /// Reads a chunk's events into a reusable buffer. Returns false when the checksum differs.
    pub fn read_into(&mut self, chunk: &ChunkAt, events: &mut Vec<u8>) -> Result<bool, TraceError> {
        let (place, stored, sum) = chunk.place;
        let read = if chunk.is_loose() { &mut *events } else { &mut self.packed };
        read.resize(usize::try_from(stored).unwrap_or(0), 0);
        let file = self.part.as_ref().filter(|_| chunk.is_packed).unwrap_or(&self.file);
        file.read_exact_at(read, place).map_err(TraceError::at(&self.path))?;
        if crc32fast::hash(read) != sum {
            return Ok(false);
        }
        if chunk.is_loose() {
            return Ok(true);
        }
        let wanted = usize::try_from(chunk.length).unwrap_or(0);
        events.resize(wanted, 0);
        Ok(lz4_flex::block::decompress_into(&self.packed, events).is_ok_and(|length| length == wanted))
    }
}

/// The chunks of a file, and whether bytes follow the last whole one.
pub(super) fn headers(file: &File) -> std::io::Result<(Vec<ChunkAt>, bool)> {
    let end = file.metadata()?.len();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(chunk) = header_at(file, at, end) {
        at = chunk.end();
        found.push(chunk);
    }
    Ok((found, at < end))
}

/// The chunk that begins at an offset of a file, if it ends before `end`.
pub(super) fn header_at(file: &File, at: u64, end: u64) -> Option<ChunkAt> {
    let begin = at.checked_add(u64::from(length(HEADER))).filter(|begin| *begin <= end)?;
    let mut header = [0; HEADER];
    file.read_exact_at(&mut header, at).ok()?;
    parse(&header, begin).filter(|chunk| chunk.end() <= end)
}

/// Whether the first events of a file were dropped. False if the file cannot be read.
pub(super) fn begins_with_head(path: &Path) -> bool {
    let file = files::open_regular(path, false);
    let first = file.and_then(|file| Ok(header_at(&file, 0, file.metadata()?.len())));
    first.is_ok_and(|first| first.is_some_and(|first| first.is_head))
}

/// Whether a path still names an open file.
pub(super) fn is_still_there(file: &File, path: &Path) -> bool {
    let of = |file: std::fs::Metadata| (file.dev(), file.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(file), Ok(there)) => of(file) == of(there),
        _ => true,
    }
}

/// Parses a header; `None` when it is not a valid one.
fn parse(header: &[u8; HEADER], place: u64) -> Option<ChunkAt> {
    let (said, sum) = header.split_last_chunk::<4>()?;
    let mut words = said.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    let mut next = || words.next();
    let (magic, thread, low, high) = (next()?, next()?, next()?, next()?);
    let (length, stored, body) = (next()?, next()?, next()?);
    let is_head = magic == HEAD_MAGIC;
    let is_known = is_head || magic == MAGIC;
    let whole = is_known && u32::from_le_bytes(*sum) == crc32fast::hash(said) && length <= LONGEST;
    let at = u64::from(high) << 32 | u64::from(low);
    whole.then_some(ChunkAt { thread, at, is_head, length, place: (place, stored, body), is_packed: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_file_is_read_up_to_its_last_whole_chunk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        File::create(&path).unwrap();
        // The first chunk exceeds the limit for uncompressed events; the others do not.
        let mut writer = ChunkWriter::open(&path).unwrap().in_haste(4000);
        let events = [vec![7; 5000], vec![5; 3000], (0..=255).collect(), vec![1, 2, 3]];
        let mut ends = vec![0];
        for (n, events) in (1..).zip(&events) {
            writer.append(n, u64::from(n) << 33, events).unwrap();
            ends.push(writer.stored);
        }
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let (mut reader, found, rest) = ChunkReader::open(&path).unwrap();
            let count = ends.iter().filter(|end| **end <= u64::try_from(cut).unwrap()).count() - 1;
            assert_eq!((found.len(), rest), (count, !ends.contains(&u64::try_from(cut).unwrap())));
            for (n, (chunk, events)) in (1..).zip(found.iter().zip(&events)) {
                assert_eq!((chunk.thread, chunk.at), (n, u64::from(n) << 33));
                let mut read = vec![9; n as usize];
                assert!(reader.read_into(chunk, &mut read).unwrap() && read == *events);
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn unused_preallocated_space_is_returned() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        let events = File::create(&path).unwrap();
        let on_disk = || events.metadata().unwrap().blocks() * 512;
        let mut writer = ChunkWriter::open(&path).unwrap().in_haste(100 << 20);
        writer.append(1, 0, &[7; 5000]).unwrap();
        assert_eq!(events.metadata().unwrap().len(), writer.stored);
        let can_be_made = writer.room < u64::MAX;
        assert!(can_be_made == (on_disk() >= ROOM) && (!can_be_made || writer.room >= ROOM));
        // Writes more than the preallocated space, and one chunk that is larger than it.
        for n in 1..20 {
            writer.append(1, n, &[3; 1 << 20]).unwrap();
        }
        writer.append(1, 20, &vec![9; usize::try_from(ROOM).unwrap() + 1]).unwrap();
        assert!(writer.room >= writer.stored);
        let stored = writer.stored;
        drop(writer);
        assert_eq!(events.metadata().unwrap().len(), stored);
        assert!(on_disk() < stored + (1 << 20), "{} for {stored}", on_disk());
    }

    #[test]
    fn a_changed_byte_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        File::create(&path).unwrap();
        let mut writer = ChunkWriter::open(&path).unwrap();
        writer.append(1, 0, &(0..200).collect::<Vec<u8>>()).unwrap();
        let whole = std::fs::read(&path).unwrap();
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 0x10;
            std::fs::write(&path, &changed).unwrap();
            let (mut reader, found, rest) = ChunkReader::open(&path).unwrap();
            let read = found.first().map(|chunk| reader.read_into(chunk, &mut Vec::new()).unwrap());
            assert!(rest && found.is_empty() || read == Some(false), "{place}");
        }
    }
}
