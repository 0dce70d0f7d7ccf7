//! Compresses the events of a recording that has ended, beside what else is done with them.

use super::chunks::{ChunkAt, ChunkReader, make};
use super::error::TraceError;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// No more threads compress chunks, each so many at once.
const MOST_THREADS: usize = 4;
const AT_ONCE: usize = 4;
/// A chunk of no more bytes may well get no shorter, and stay as it is.
const SHORT: u32 = 128;
/// So often it is asked whether to go on.
const ASK: Duration = Duration::from_millis(5);

/// The work on one file, which ends with this at the latest.
pub struct Packing {
    stop: Arc<AtomicBool>,
    work: Option<JoinHandle<()>>,
}

impl Packing {
    /// Begins with the chunks of a file to which nobody appends any more. What cannot be compressed stays as it is: it can be
    /// read all the same.
    pub fn begin(path: PathBuf) -> Packing {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let work = move || drop(pack(&path, &mut || !stopped.load(Ordering::Relaxed)));
        Packing { stop, work: std::thread::Builder::new().spawn(work).ok() }
    }

    /// Waits until it is done.
    ///
    /// # Errors
    /// It was told not to go on.
    pub fn end(self, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
        while self.work.as_ref().is_some_and(|work| !work.is_finished()) {
            if !goes_on() {
                return Err(TraceError::Stopped);
            }
            std::thread::sleep(ASK);
        }
        Ok(())
    }
}

impl Drop for Packing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(work) = self.work.take() {
            // There is nothing to tell of it.
            drop(work.join());
        }
    }
}

/// Compresses the chunks of a file to which nobody appends any more, where some of them are not: the same chunks in the same order. A
/// file that is not whole stays as it is. The new one is as old as it was: tables made of one are of the other.
///
/// # Errors
/// It cannot be read, or the new one not be written; or it was told not to go on. The file is as it was then.
fn pack(path: &Path, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
    let (mut reader, chunks, is_torn) = ChunkReader::open(path)?;
    if is_torn || !chunks.iter().any(|chunk| chunk.is_loose() && chunk.length > SHORT) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(TraceError::at(path))?;
    // One processor is for whoever waits for it.
    let threads = std::thread::available_parallelism().map_or(1, |all| all.get() - 1).clamp(1, MOST_THREADS);
    for some in chunks.chunks(threads * AT_ONCE) {
        if !goes_on() {
            return Err(TraceError::Stopped);
        }
        let mut read = Vec::new();
        for chunk in some {
            let Some(events) = reader.read(chunk)? else { return Ok(()) };
            read.push((chunk, events));
        }
        let work = |part: &[(&ChunkAt, Vec<u8>)]| {
            let mut made = Vec::new();
            for (chunk, events) in part {
                let mut one = Vec::new();
                make(&mut one, chunk.thread, chunk.at, events)?;
                made.extend(one);
            }
            Ok(made)
        };
        let made: Vec<std::io::Result<Vec<u8>>> = std::thread::scope(|scope| {
            let parts = read.chunks(AT_ONCE).map(|part| {
                let spawned = std::thread::Builder::new().spawn_scoped(scope, move || work(part));
                // Where there are no more threads this one does it.
                spawned.map_err(|_| part)
            });
            let parts: Vec<_> = parts.collect();
            let ended = |_| Err(std::io::Error::other("a thread ended early"));
            parts
                .into_iter()
                .map(|part| part.map_or_else(work, |part| part.join().unwrap_or_else(ended)))
                .collect()
        });
        for part in made {
            part.and_then(|part| new.write_all(&part)).map_err(TraceError::at(path))?;
        }
    }
    let as_before = std::fs::metadata(path).and_then(|before| {
        new.as_file().set_permissions(before.permissions())?;
        new.as_file().set_modified(before.modified()?)
    });
    as_before.map_err(TraceError::at(path))?;
    new.persist(path).map_err(|error| TraceError::at(path)(error.error))?;
    Ok(())
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
            found.iter().map(|c| (c.thread, c.at, reader.read(c).unwrap().unwrap())).collect::<Vec<_>>()
        };
        assert!(loose.len() > 400_000);
        assert_eq!(held(), many);
        // Told to stop, it leaves nothing behind, and all as it was.
        let mut asked = 0;
        let mut once = || {
            asked += 1;
            asked < 2
        };
        assert!(matches!(pack(&path, &mut once), Err(TraceError::Stopped)));
        assert_eq!(std::fs::read(&path).unwrap(), loose);
        // What was cut off stays too: of that, a reader has places.
        std::fs::write(&path, &loose[..loose.len() - 1]).unwrap();
        pack(&path, &mut || true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), loose[..loose.len() - 1]);
        std::fs::write(&path, &loose).unwrap();
        pack(&path, &mut || true).unwrap();
        assert_eq!(held(), many);
        assert!(std::fs::metadata(&path).unwrap().len() < 40_000);
        let packed = std::fs::read(&path).unwrap();
        pack(&path, &mut || unreachable!("nothing is left to do")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), packed);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
