//! Compresses the events of a recording that has ended, beside what else is done with them.

use super::chunks::{ChunkAt, ChunkReader, make};
use super::error::TraceError;
use crate::files;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// No more threads compress chunks.
const MOST_THREADS: usize = 4;
/// Chunks of so many bytes are compressed at once, and one more; but no more of them than this.
const BYTES_AT_ONCE: u32 = 1 << 22;
const MOST_AT_ONCE: usize = 64;
/// Buffers that have grown to more bytes are not kept.
const MOST_HELD: usize = 1 << 25;
/// What the new file is called as long as it is not whole.
const PART: &str = "part";
/// A chunk of no more bytes may well get no shorter, and stay as it is.
const SHORT: u32 = 128;
/// So often it is asked whether to go on.
const ASK: Duration = Duration::from_millis(5);

/// The work on one file, which ends with this at the latest.
pub struct BackgroundCompression {
    stop: Arc<AtomicBool>,
    work: Option<JoinHandle<()>>,
}

impl BackgroundCompression {
    /// Begins with the chunks of a file to which nobody appends any more. What cannot be compressed stays as
    /// it is: it can be read all the same.
    pub fn begin(path: PathBuf) -> BackgroundCompression {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        // One processor is for whoever waits for it.
        let threads =
            std::thread::available_parallelism().map_or(1, |all| all.get() - 1).clamp(1, MOST_THREADS);
        let work = move || drop(pack(&path, threads, &mut || !stopped.load(Ordering::Relaxed)));
        BackgroundCompression { stop, work: std::thread::Builder::new().spawn(work).ok() }
    }

    /// Waits until it is done.
    ///
    /// # Errors
    /// It was told not to go on.
    pub fn end(self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
        while self.work.as_ref().is_some_and(|work| !work.is_finished()) {
            if !goes_on() {
                return Err(TraceError::Interrupted);
            }
            std::thread::sleep(ASK);
        }
        Ok(())
    }
}

impl Drop for BackgroundCompression {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(work) = self.work.take() {
            // There is nothing to tell of it.
            drop(work.join());
        }
    }
}

/// Compresses, in one thread or more, the chunks of a file to which nobody appends any more, where some of
/// them are not: the same chunks in the same order. A file that is not whole stays as it is, and so does one
/// that somebody else compresses now. The new one is as old as it was: tables made of one are of the other.
///
/// # Errors
/// It cannot be read, or the new one not be written; or it was told not to go on. The file is as it was then.
fn pack(path: &Path, threads: usize, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
    let (mut reader, chunks, is_torn) = ChunkReader::open(path)?;
    if is_torn || !chunks.iter().any(|chunk| chunk.is_loose() && chunk.length > SHORT) || !reader.is_mine() {
        return Ok(());
    }
    // What somebody has left who was killed is written over.
    let part = PartialFile(path.with_extension(PART));
    let at = || TraceError::at(&part.0);
    let mut new = files::create(&part.0).map_err(at())?;
    // The events of some chunks, and what becomes of them: buffers that are used again.
    let mut buffers: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    let mut rest = chunks.as_slice();
    while !rest.is_empty() {
        if !goes_on() {
            return Err(TraceError::Interrupted);
        }
        let (some, behind) = rest.split_at(at_once(rest));
        rest = behind;
        if buffers.iter().map(|(events, made)| events.capacity() + made.capacity()).sum::<usize>() > MOST_HELD
        {
            buffers.clear();
        }
        buffers.resize_with(some.len().max(buffers.len()), Default::default);
        for (chunk, (events, _)) in some.iter().zip(&mut buffers) {
            if !reader.read_into(chunk, events)? {
                return Ok(());
            }
        }
        let work = |chunks: &[ChunkAt], buffers: &mut [(Vec<u8>, Vec<u8>)]| -> std::io::Result<Vec<usize>> {
            let each = chunks.iter().zip(buffers);
            each.map(|(chunk, (events, made))| Ok(make(made, chunk.thread, chunk.at, events)?.len()))
                .collect()
        };
        let share = some.len().div_ceil(threads);
        let made: Vec<std::io::Result<Vec<usize>>> = std::thread::scope(|scope| {
            let mut parts = some.chunks(share).zip(buffers.chunks_mut(share));
            let own = parts.next();
            let spawn = |(chunks, buffers)| {
                std::thread::Builder::new().spawn_scoped(scope, move || work(chunks, buffers))
            };
            let others: Vec<_> = parts.map(spawn).collect();
            let own = own.map(|(chunks, buffers)| work(chunks, buffers));
            let ended = |_| Err(std::io::Error::other("a thread ended early"));
            own.into_iter().chain(others.into_iter().map(|part| part?.join().unwrap_or_else(ended))).collect()
        });
        let lengths: std::io::Result<Vec<Vec<usize>>> = made.into_iter().collect();
        for (length, (_, made)) in lengths.map_err(at())?.into_iter().flatten().zip(&buffers) {
            new.write_all(made.get(..length).unwrap_or_default()).map_err(at())?;
        }
    }
    let as_before = std::fs::metadata(path).and_then(|before| {
        new.set_permissions(before.permissions())?;
        new.set_modified(before.modified()?)
    });
    as_before.and_then(|()| std::fs::rename(&part.0, path)).map_err(at())
}

/// So many of the first chunks are compressed at once.
fn at_once(chunks: &[ChunkAt]) -> usize {
    let mut bytes: u32 = 0;
    let fits = |chunk: &&ChunkAt| {
        let goes_on = bytes < BYTES_AT_ONCE;
        bytes = bytes.saturating_add(chunk.length);
        goes_on
    };
    chunks.iter().take(MOST_AT_ONCE).take_while(fits).count().max(1)
}

/// A file that is removed when it has not become another one.
struct PartialFile(PathBuf);

impl Drop for PartialFile {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::chunks::ChunkWriter;
    use std::fs::File;

    #[test]
    fn chunks_that_are_packed_hold_what_they_held() {
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
        // Told to stop, it leaves nothing behind, and all as it was.
        let mut asked = 0;
        let mut once = || {
            asked += 1;
            asked < 2
        };
        assert!(matches!(pack(&path, 1, &mut once), Err(TraceError::Interrupted)));
        assert_eq!(std::fs::read(&path).unwrap(), loose);
        // What was cut off stays too: of that, a reader has places.
        std::fs::write(&path, &loose[..loose.len() - 1]).unwrap();
        pack(&path, 1, &mut || true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), loose[..loose.len() - 1]);
        std::fs::write(&path, &loose).unwrap();
        // Somebody else is at it.
        let other = File::open(&path).unwrap();
        other.lock().unwrap();
        pack(&path, 1, &mut || unreachable!("nothing is done")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), loose);
        drop(other);
        // And was killed.
        std::fs::write(path.with_extension(PART), [1; 100_000]).unwrap();
        pack(&path, 3, &mut || true).unwrap();
        assert_eq!(held(), many);
        assert!(std::fs::metadata(&path).unwrap().len() < 40_000);
        let packed = std::fs::read(&path).unwrap();
        // However many threads do it, it is the same.
        std::fs::write(&path, &loose).unwrap();
        pack(&path, 1, &mut || true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), packed);
        pack(&path, 1, &mut || unreachable!("nothing is left to do")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), packed);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
