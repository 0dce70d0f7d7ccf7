//! Compresses the events of a finished recording in the background.

use super::chunks::{ChunkAt, ChunkReader, make};
use super::error::TraceError;
use crate::files;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum number of compressing threads.
const MOST_THREADS: usize = 4;
/// Bytes of chunks compressed in one batch (plus up to one chunk), and the maximum number of chunks in it.
const BYTES_AT_ONCE: u32 = 1 << 22;
const MOST_AT_ONCE: usize = 64;
/// Buffers larger than this many bytes in total are freed after a batch.
const MOST_HELD: usize = 1 << 25;
/// Extension of the new file until it is complete.
const PART: &str = "part";
/// Chunks up to this many bytes may not shrink and then stay uncompressed.
const SHORT: u32 = 128;
/// How often the caller is asked whether to go on.
const ASK: Duration = Duration::from_millis(5);

/// A background compression of one file. Dropping it stops the work.
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
        // Leave one CPU to the thread that waits for the result.
        let threads =
            std::thread::available_parallelism().map_or(1, |all| all.get() - 1).clamp(1, MOST_THREADS);
        let work = move || drop(pack(&path, threads, &mut || !stopped.load(Ordering::Relaxed)));
        BackgroundCompression { stop, work: std::thread::Builder::new().spawn(work).ok() }
    }

    /// Waits until the compression is done.
    ///
    /// # Errors
    /// [`TraceError::Interrupted`] when `goes_on` returns false.
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
            // A failure needs no report: the file stays readable.
            drop(work.join());
        }
    }
}

/// Compresses the uncompressed chunks of a complete file with `threads` threads, and keeps all chunks in
/// their order. Leaves a truncated file, and a file that another process compresses, unchanged. The new file
/// keeps the modification time, so existing tables stay valid.
///
/// # Errors
/// The file cannot be read or the new one cannot be written; [`TraceError::Interrupted`] when `goes_on`
/// returns false. The file is unchanged then.
fn pack(path: &Path, threads: usize, goes_on: &mut dyn FnMut() -> bool) -> Result<(), TraceError> {
    let (mut reader, chunks, is_torn) = ChunkReader::open(path)?;
    if is_torn || !chunks.iter().any(|chunk| chunk.is_loose() && chunk.length > SHORT) || !reader.is_mine() {
        return Ok(());
    }
    // Overwrite what a killed process left.
    let part = PartialFile(path.with_extension(PART));
    let at = || TraceError::at(&part.0);
    let mut new = files::create(&part.0).map_err(at())?;
    // Reusable buffers: the events of each chunk and the compressed chunk.
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
            let ended = |_| Err(std::io::Error::other("a worker thread ended early"));
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

/// Number of chunks to compress in the next batch.
fn at_once(chunks: &[ChunkAt]) -> usize {
    let mut bytes: u32 = 0;
    let fits = |chunk: &&ChunkAt| {
        let goes_on = bytes < BYTES_AT_ONCE;
        bytes = bytes.saturating_add(chunk.length);
        goes_on
    };
    chunks.iter().take(MOST_AT_ONCE).take_while(fits).count().max(1)
}

/// Removes the incomplete file unless it was renamed.
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
        // An interrupted compression leaves no file behind and changes nothing.
        let mut asked = 0;
        let mut once = || {
            asked += 1;
            asked < 2
        };
        assert!(matches!(pack(&path, 1, &mut once), Err(TraceError::Interrupted)));
        assert_eq!(std::fs::read(&path).unwrap(), loose);
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
        // That process was killed and left its incomplete file.
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
