//! Takes events out of the rings while the program writes them: a thread of its own, since compressing them is work.

use super::apart::Apart;
use super::chunks::ChunkWriter;
use super::error::TraceError;
use super::folder::Folder;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use wire::recording::{
    CONTROL, ENDED, LIMIT, LONGEST_EVENT, MASK, RING_DATA, RING_SIZES, RingReport, TAKEN, THREAD, WAITED,
    WRITTEN,
};
use wire::{Report, ReportReader};

/// How long it sleeps: when there was something to take, and at most when there is nothing for long.
const NAPS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(5));
/// It does not sleep when a ring had so many bytes: that may soon be full.
const MUCH: u64 = RING_SIZES[1] / 2;

/// A thread that has written so many bytes is busy.
const WORTH: u64 = 1 << 16;

/// Events are written as they are, before it compresses them while the program runs, as long as they fit into one part of so many of the
/// machine's memory: what the system keeps there need not wait for the disk.
const LOOSE: u64 = 8;
/// The same where the system does not tell how much memory it has, in bytes.
const LOOSE_BYTES: u64 = 512 << 20;

/// What was taken out of all rings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Bytes of events.
    pub bytes: u64,
    /// Bytes of the file that keeps them.
    pub stored: u64,
    /// For how long threads have waited until events were taken out, added up.
    pub waited: Duration,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// Whether the places were reached where the recording begins, and where it ends.
    pub reached: (bool, bool),
}

/// A collector at work.
pub struct Collector {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Result<Collected, TraceError>>,
}

impl Collector {
    /// Begins. `failed` is called when no more can be taken out: then the program would wait.
    ///
    /// # Errors
    /// The folder's files cannot be opened, or there is no thread.
    pub fn begin(folder: &Folder, failed: impl FnOnce() + Send + 'static) -> Result<Collector, TraceError> {
        let writer = ChunkWriter::open(&folder.events())?.in_haste(loose());
        let report = ReportReader::open(&folder.sites()).map_err(TraceError::at(&folder.sites()))?;
        let over = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            folder: folder.clone(),
            writer,
            report,
            rings: BTreeMap::new(),
            collected: Collected::default(),
            buffer: vec![0; usize::try_from(RING_SIZES[0]).unwrap_or_default()].into(),
            apart: Apart::new(),
        };
        let ends = over.clone();
        let run = move || {
            let done = work.run(&ends);
            if done.is_err() {
                failed();
            }
            done
        };
        let thread = std::thread::Builder::new().name("collector".to_owned()).spawn(run);
        Ok(Collector { over, thread: thread.map_err(TraceError::at(folder.path()))? })
    }

    /// Takes out what is left: the program has ended.
    ///
    /// # Errors
    /// Something could not be written.
    pub fn finish(self) -> Result<Collected, TraceError> {
        self.over.store(true, Ordering::Release);
        // It does not panic; if it did, nothing it holds is needed.
        self.thread.join().unwrap_or_else(|_| Ok(Collected::default()))
    }
}

/// So many bytes of events are written as they are.
fn loose() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let system = rustix::system::sysinfo();
        #[allow(clippy::useless_conversion, reason = "it is shorter on other machines")]
        u64::from(system.totalram)
            .checked_mul(system.mem_unit.into())
            .map_or(LOOSE_BYTES, |bytes| bytes / LOOSE)
    }
    #[cfg(not(target_os = "linux"))]
    LOOSE_BYTES
}

struct Work {
    folder: Folder,
    writer: ChunkWriter,
    report: ReportReader,
    rings: BTreeMap<u32, File>,
    collected: Collected,
    buffer: Box<[u8]>,
    apart: Apart,
}

impl Work {
    fn run(&mut self, over: &AtomicBool) -> Result<Collected, TraceError> {
        let mut nap = NAPS.0;
        loop {
            // Looked at before the rings: what was written by then is taken out.
            let last = over.load(Ordering::Acquire);
            self.look_for_rings()?;
            let mut most = 0;
            for ring in self.rings.keys().copied().collect::<Vec<_>>() {
                most = self.take(ring)?.max(most);
            }
            if last && most == 0 {
                break;
            }
            nap = if most > 0 { NAPS.0 } else { (nap * 2).min(NAPS.1) };
            if most < MUCH && !last {
                std::thread::sleep(nap);
            }
        }
        for ring in std::mem::take(&mut self.rings).into_keys() {
            self.remove(ring)?;
        }
        self.collected.stored = self.writer.stored;
        Ok(self.collected.clone())
    }

    fn look_for_rings(&mut self) -> Result<(), TraceError> {
        let path = self.folder.sites();
        for report in self.report.more().map_err(TraceError::at(&path))? {
            match report {
                Report::Ring(RingReport { ring, .. }) => {
                    let file = self.folder.rings().join(RingReport::file(ring));
                    let opened = File::options().read(true).write(true).open(&file);
                    self.rings.insert(ring, opened.map_err(TraceError::at(&file))?);
                }
                Report::Problem(problem) => self.collected.missing.push(problem),
                Report::Reached { is_end: false } => self.collected.reached.0 = true,
                Report::Reached { is_end: true } => self.collected.reached.1 = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// Takes out what is in a ring: how many bytes. One whose thread has ended is removed when it is empty.
    fn take(&mut self, ring: u32) -> Result<u64, TraceError> {
        let Some(file) = self.rings.get_mut(&ring) else { return Ok(0) };
        let path = self.folder.rings();
        let control = Control::read(file).map_err(TraceError::at(&path))?;
        let there = control.written.saturating_sub(control.taken);
        if there == 0 {
            if control.ended {
                self.rings.remove(&ring);
                self.collected.waited += control.waited;
                self.remove(ring)?;
            }
            return Ok(0);
        }
        if there > WORTH {
            self.apart.leave(control.thread);
        }
        // It is no more than the ring holds, unless that was written over.
        let events = usize::try_from(there).ok().and_then(|there| self.buffer.get_mut(..there));
        let events = events.filter(|_| control.keeps(control.taken));
        let read = events.map(|events| {
            read_ring(file, &control, events)?;
            // Nor while it was read.
            Ok(Control::read(file)?.keeps(control.taken).then_some(events))
        });
        let Some(events) = read.transpose().map_err(TraceError::at(&path))?.flatten() else {
            let what = format!("events of thread {ring} were written over before they were taken out");
            self.collected.missing.push(what);
            self.rings.remove(&ring);
            return Ok(0);
        };
        self.writer.append(ring, control.taken, events)?;
        set(file, TAKEN, control.written).map_err(TraceError::at(&path))?;
        self.collected.bytes += there;
        Ok(there)
    }

    fn remove(&mut self, ring: u32) -> Result<(), TraceError> {
        let path = self.folder.rings().join(RingReport::file(ring));
        if let Ok(mut file) = File::open(&path)
            && let Ok(control) = Control::read(&mut file)
            && !control.ended
        {
            self.collected.waited += control.waited;
        }
        std::fs::remove_file(&path).map_err(TraceError::at(&path))
    }
}

/// The words of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Control {
    /// How much data it holds.
    size: u64,
    written: u64,
    taken: u64,
    /// The system's number of the thread.
    thread: u64,
    ended: bool,
    /// Its thread does not wait for room any more.
    is_forsaken: bool,
    waited: Duration,
}

impl Control {
    fn read(file: &mut File) -> std::io::Result<Control> {
        let mut words = [0; CONTROL];
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(&mut words)?;
        let word = |at: u64| {
            let at = usize::try_from(at).unwrap_or(0);
            let bytes = words.get(at..).and_then(|rest| rest.first_chunk::<8>());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let waited = Duration::from_micros(word(WAITED));
        // A file may be changed, and a thread about to begin: no ring is larger.
        let size = (word(MASK) & (RING_SIZES[0] - 1)) + 1;
        let (written, taken, thread) = (word(WRITTEN), word(TAKEN), word(THREAD));
        let ended = word(ENDED) != 0;
        let is_forsaken = word(LIMIT) == i64::MAX.cast_unsigned();
        Ok(Control { size, written, taken, thread, ended, is_forsaken, waited })
    }

    /// Whether the ring still holds all from a byte on.
    fn keeps(&self, from: u64) -> bool {
        // Who does not wait may be writing an event over it just now.
        let begun = if self.is_forsaken { LONGEST_EVENT } else { 0 };
        self.written.saturating_add(begun).saturating_sub(from) <= self.size
    }
}

fn set(file: &mut File, at: u64, word: u64) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(&word.to_le_bytes())
}

/// Reads the first bytes of a ring that were not taken out, which may go on at its beginning.
fn read_ring(file: &mut File, ring: &Control, into: &mut [u8]) -> std::io::Result<()> {
    let begin = ring.taken % ring.size;
    let first = usize::try_from(ring.size - begin).unwrap_or_default().min(into.len());
    let (head, tail) = into.split_at_mut(first);
    file.seek(SeekFrom::Start(RING_DATA + begin))?;
    file.read_exact(head)?;
    if !tail.is_empty() {
        file.seek(SeekFrom::Start(RING_DATA))?;
        file.read_exact(tail)?;
    }
    Ok(())
}

/// What is left in a ring: what comes before was taken out, and the events from there on. None where that is unknown.
pub fn left_in(path: &Path) -> std::io::Result<Option<(u64, Vec<u8>)>> {
    let mut file = File::open(path)?;
    let control = Control::read(&mut file)?;
    let there = control.written.saturating_sub(control.taken);
    if !control.keeps(control.taken) {
        return Ok(None);
    }
    let mut events = vec![0; usize::try_from(there).unwrap_or_default()];
    read_ring(&mut file, &control, &mut events)?;
    // Who still takes them out has put them into the file, and others may lie in their place now.
    let now = Control::read(&mut file)?;
    if now.taken != control.taken {
        events.clear();
    } else if !now.keeps(control.taken) {
        return Ok(None);
    }
    Ok(Some((now.taken, events)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file of a ring with these words.
    fn ring(words: &[(u64, u64)]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.set_len(RING_DATA).unwrap();
        for (at, word) in [(MASK, RING_SIZES[1] - 1)].iter().chain(words) {
            set(&mut file, *at, *word).unwrap();
        }
        file
    }

    #[test]
    fn what_may_be_written_over_while_it_is_read_is_not_there() {
        let (size, nobody) = (RING_SIZES[1], i64::MAX.cast_unsigned());
        let keeps = |written, limit| {
            let words = [(WRITTEN, written), (LIMIT, limit), (TAKEN, 100)];
            let control = Control::read(&mut ring(&words)).unwrap();
            control.keeps(control.taken)
        };
        // Who waits for room writes over nothing, however full it is.
        assert!(keeps(100 + size, 100 + size - LONGEST_EVENT));
        assert!(!keeps(101 + size, 100 + size - LONGEST_EVENT));
        // Who does not may have begun with the next event.
        assert!(keeps(100 + size - LONGEST_EVENT, nobody));
        assert!(!keeps(101 + size - LONGEST_EVENT, nobody));
        // It had been read before, and was written over since.
        let mut file = ring(&[(WRITTEN, 500), (TAKEN, 100)]);
        let before = Control::read(&mut file).unwrap();
        assert!(before.keeps(before.taken));
        set(&mut file, LIMIT, nobody).unwrap();
        set(&mut file, WRITTEN, 500 + size).unwrap();
        assert!(!Control::read(&mut file).unwrap().keeps(before.taken));
    }
}
