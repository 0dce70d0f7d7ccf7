//! Compresses the events of a recording: for a moment when the program has ended, and further when the
//! recording is read.
//!
//! The compressed chunks go to a file beside the file of events, in the same order. What is stored there is
//! given up in the file of events, which keeps the headers. When the compressed file has all chunks, it takes
//! the place of the other. So both files together have all events at any time, also when `qp` is killed.

use super::chunks::{ChunkAt, ChunkReader, PART, header_at, make};
use super::error::TraceError;
use platform::resources::{give_back, lower_priority_of_thread};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Maximum number of compressing threads.
const MOST_THREADS: usize = 4;
/// Number of compressed chunks of a thread that may wait.
const AHEAD: usize = 1;
/// How long to compress when the program has ended. The rest is compressed when the recording is read.
const MOMENT: Duration = Duration::from_millis(300);
/// The size of a page, to which given-up space is aligned, in bytes.
const PAGE: u64 = 4096;

/// Compresses the chunks of a complete file for a short time with all CPUs, when the program has ended.
/// Returns the size of the events on disk, in bytes; `None` if the file cannot be read.
pub fn pack_for_a_moment(path: &Path) -> Option<u64> {
    let since = Instant::now();
    // After a failure the events are readable as they are.
    drop(pack(path, threads(0), &mut || since.elapsed() < MOMENT));
    let (_, chunks, _) = ChunkReader::open(path).ok()?;
    Some(chunks.iter().map(ChunkAt::stored).sum())
}

/// A background compression of a complete file. Dropping it stops the work; what is done stays.
pub struct BackgroundCompression {
    stop: Arc<AtomicBool>,
    work: Option<JoinHandle<()>>,
}

impl BackgroundCompression {
    /// Starts compressing the chunks of a complete file. Chunks that cannot be compressed stay readable as
    /// they are.
    pub fn begin(path: PathBuf) -> BackgroundCompression {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        // Leave one CPU to the thread that answers.
        let threads = threads(1);
        let work = move || {
            lower_priority_of_thread();
            drop(pack(&path, threads, &mut || !stopped.load(Ordering::Relaxed)));
        };
        BackgroundCompression { stop, work: std::thread::Builder::new().spawn(work).ok() }
    }
}

impl Drop for BackgroundCompression {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(work) = self.work.take() {
            // A failure needs no report: the file stays readable.
            drop(work.join());
        }
    }
}

/// The number of compressing threads, if some CPUs are for others.
fn threads(others: usize) -> usize {
    std::thread::available_parallelism().map_or(1, |all| all.get() - others).clamp(1, MOST_THREADS)
}

/// Compresses the uncompressed chunks of a complete file with `threads` threads, and keeps all chunks in
/// their order. Leaves a truncated file, and a file that another process compresses, unchanged. The new file
/// keeps the modification time, so existing tables stay valid.
///
/// # Errors
/// The file cannot be read or the new one cannot be written; [`TraceError::Interrupted`] when `goes_on`
/// returns false. What was compressed by then stays.
fn pack(path: &Path, threads: usize, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
    let (_, chunks, is_torn) = ChunkReader::open(path)?;
    if is_torn || !chunks.iter().any(ChunkAt::may_shrink) {
        return Ok(());
    }
    let Some(mut packer) = Packer::open(path).map_err(TraceError::at(path))? else { return Ok(()) };
    let end = packer.events.metadata().map_err(TraceError::at(path))?.len();
    let mut is_stopped = false;
    let packed = packer.all(end, threads, &mut || {
        is_stopped = !goes_on();
        !is_stopped
    });
    match packed.and_then(|()| if is_stopped { Ok(()) } else { packer.replace(end) }) {
        Ok(()) if is_stopped => Err(TraceError::Interrupted),
        packed => packed.map_err(TraceError::at(path)),
    }
}

/// Compresses a file chunk by chunk.
struct Packer {
    path: PathBuf,
    /// The file of events. It is locked against other compressors.
    events: File,
    part: File,
    /// Offset of the next chunk in the file of events.
    at: u64,
    /// Size of the compressed file, in bytes.
    stored: u64,
}

impl Packer {
    /// Opens a file, and goes on where an earlier compressor ended. `None` if another one is at work.
    fn open(path: &Path) -> io::Result<Option<Packer>> {
        let events = File::options().read(true).write(true).open(path)?;
        if events.try_lock().is_err() {
            return Ok(None);
        }
        let name = path.with_extension(PART);
        let part = match File::options().read(true).write(true).open(&name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => files::create_new(&name)?,
            part => part?,
        };
        let (mut at, mut stored) = (0, 0);
        let (end, end_of_part) = (events.metadata()?.len(), part.metadata()?.len());
        while let (Some(chunk), Some(packed)) =
            (header_at(&events, at, end), header_at(&part, stored, end_of_part))
            && chunk.is_same(&packed)
        {
            (at, stored) = (chunk.end(), packed.end());
        }
        // A killed process may have left half a chunk.
        part.set_len(stored)?;
        Ok(Some(Packer { path: path.to_owned(), events, part, at, stored }))
    }

    /// Compresses the chunks up to the offset `end` of the file of events with several threads, as long as
    /// `goes_on` says so.
    ///
    /// # Errors
    /// A file cannot be read or written, or a chunk is damaged. The files stay readable.
    fn all(&mut self, end: u64, threads: usize, goes_on: &mut dyn FnMut() -> bool) -> io::Result<()> {
        let (mut chunks, mut at) = (Vec::new(), self.at);
        while let Some(chunk) = header_at(&self.events, at, end) {
            at = chunk.end();
            chunks.push(chunk);
        }
        let chunks = &chunks;
        std::thread::scope(|scope| {
            let mut lanes = Vec::new();
            for lane in 0..threads {
                let (send, ready) = sync_channel(AHEAD);
                let (back, used) = sync_channel::<Vec<u8>>(AHEAD + 1);
                let mut work = ChunkPacker::new(&self.path, &self.events)?;
                let works = move || {
                    for chunk in chunks.iter().skip(lane).step_by(threads) {
                        work.made = used.try_recv().unwrap_or_default();
                        let packed = work.pack(chunk).map(|length| (std::mem::take(&mut work.made), length));
                        // Ends when the receiver is gone.
                        if send.send(packed).is_err() {
                            break;
                        }
                    }
                };
                std::thread::Builder::new().spawn_scoped(scope, works)?;
                lanes.push((ready, back));
            }
            for (chunk, (ready, back)) in chunks.iter().zip(lanes.iter().cycle()) {
                if !goes_on() {
                    break;
                }
                // A worker that has panicked makes the scope panic.
                let Ok(packed) = ready.recv() else { break };
                let (made, length) = packed?;
                self.add(chunk, made.get(..length).unwrap_or_default())?;
                drop(back.try_send(made));
            }
            Ok(())
        })
    }

    /// Appends a compressed chunk, and gives up what it replaces.
    fn add(&mut self, chunk: &ChunkAt, made: &[u8]) -> io::Result<()> {
        let written = self.part.seek(SeekFrom::Start(self.stored)).and_then(|_| self.part.write_all(made));
        if written.is_err() {
            drop(self.part.set_len(self.stored));
        }
        written?;
        self.stored += u64::try_from(made.len()).unwrap_or(0);
        self.at = chunk.end();
        let modified = self.events.metadata().and_then(|file| file.modified());
        let (begin, length) = chunk.body();
        give_up(&self.events, begin, begin + u64::from(length));
        // Tables are valid for the file's modification time.
        drop(modified.and_then(|time| self.events.set_modified(time)));
        Ok(())
    }

    /// Puts the compressed file in the place of the other one, if it has all chunks up to `end`.
    ///
    /// # Errors
    /// The file cannot be renamed. Both stay readable.
    fn replace(self, end: u64) -> io::Result<()> {
        let before = self.events.metadata()?;
        if self.at != end || before.len() != end {
            return Ok(());
        }
        self.part.set_permissions(before.permissions())?;
        self.part.set_modified(before.modified()?)?;
        std::fs::rename(self.path.with_extension(PART), &self.path)
    }
}

impl Drop for Packer {
    fn drop(&mut self) {
        // A file without a chunk is of no use.
        if self.stored == 0 {
            drop(std::fs::remove_file(self.path.with_extension(PART)));
        }
    }
}

/// Gives the pages between two offsets of a file back to the disk. If that fails, they stay.
fn give_up(file: &File, begin: u64, end: u64) {
    let (begin, end) = (begin.next_multiple_of(PAGE), end / PAGE * PAGE);
    give_back(file, begin, end);
}

/// Compresses single chunks.
pub(super) struct ChunkPacker {
    reader: ChunkReader,
    events: Vec<u8>,
    pub(super) made: Vec<u8>,
}

impl ChunkPacker {
    pub(super) fn new(path: &Path, events: &File) -> io::Result<ChunkPacker> {
        let reader = ChunkReader::of(path, events.try_clone()?);
        Ok(ChunkPacker { reader, events: Vec::new(), made: Vec::new() })
    }

    /// Compresses a chunk. Returns its size at the beginning of the buffer, in bytes.
    pub(super) fn pack(&mut self, chunk: &ChunkAt) -> io::Result<usize> {
        if !chunk.is_loose() {
            self.reader.read_whole(chunk, &mut self.made)?;
            return Ok(self.made.len());
        }
        match self.reader.read_into(chunk, &mut self.events).map_err(io::Error::other)? {
            true => Ok(make(&mut self.made, chunk, &self.events)?.len()),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunks::ChunkWriter;
    use std::fs::File;

    #[test]
    fn compressed_chunks_hold_the_same_events() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events");
        File::create(&path).unwrap();
        let mut writer = ChunkWriter::open(&path).unwrap().in_haste(400_000);
        let many: Vec<(u32, u64, Vec<u8>)> = (0..300_u32)
            .map(|n| (n % 7, u64::from(n), vec![n.to_le_bytes()[0]; 2000 + n as usize]))
            .collect();
        for (thread, at, events) in &many {
            writer.append(*thread, *at, events).unwrap();
        }
        let loose = std::fs::read(&path).unwrap();
        let held = || {
            let (mut reader, found, rest) = ChunkReader::open(&path).unwrap();
            assert!(!rest);
            let mut of = |chunk: &ChunkAt| {
                let mut events = Vec::new();
                assert!(reader.read_into(chunk, &mut events).unwrap());
                (chunk.thread, chunk.at, events)
            };
            found.iter().map(&mut of).collect::<Vec<_>>()
        };
        assert!(loose.len() > 400_000);
        assert_eq!(held(), many);
        // What an interrupted compression has done stays, and is read from both files.
        let mut asked = 0;
        let mut once = || {
            asked += 1;
            asked < 60
        };
        assert!(matches!(pack(&path, 1, &mut once), Err(TraceError::Interrupted)));
        assert!(std::fs::metadata(path.with_extension(PART)).unwrap().len() > 1000);
        assert_eq!(held(), many);
        // The next one goes on there, also behind half a chunk that a killed process left.
        let half = std::fs::read(path.with_extension(PART)).unwrap();
        std::fs::write(path.with_extension(PART), &half[..half.len() - 5]).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), loose.len() as u64);
        std::fs::write(&path, &loose).unwrap();
        pack(&path, 2, &mut || true).unwrap();
        assert_eq!(held(), many);
        std::fs::write(&path, &loose).unwrap();
        // A truncated file stays unchanged: readers keep offsets into it.
        std::fs::write(&path, &loose[..loose.len() - 1]).unwrap();
        pack(&path, 1, &mut || true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), loose[..loose.len() - 1]);
        std::fs::write(&path, &loose).unwrap();
        // Another process compresses the file.
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        pack(&path, 1, &mut || unreachable!("nothing is done")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), loose);
        drop(other);
        // Some file is there by this name.
        std::fs::write(path.with_extension(PART), [1; 100_000]).unwrap();
        pack(&path, 3, &mut || true).unwrap();
        assert_eq!(held(), many);
        assert!(std::fs::metadata(&path).unwrap().len() < 40_000);
        let packed = std::fs::read(&path).unwrap();
        // The result does not depend on the number of threads.
        std::fs::write(&path, &loose).unwrap();
        pack(&path, 1, &mut || true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), packed);
        pack(&path, 1, &mut || unreachable!("nothing is left to do")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), packed);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
