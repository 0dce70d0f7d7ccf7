//! Moves events from the rings to the file while the program writes them. It runs in its own thread.

use super::chunks::ChunkWriter;
use super::compaction::Compaction;
use super::compression::pack_for_a_moment;
use super::error::TraceError;
use super::folder::{Dropped, Folder};
use platform::CpuAvoidance;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wire::recording::{
    BOARD_FLAGS, CONTROL, ENDED, FREE, LIMIT, LONGEST_EVENT, MASK, OVERFLOWS, OWNER, RING_DATA, RING_SIZES,
    RingPlace, RingReport, STOPPED, TAKEN, THREAD, UNTOLD, WAITED, WRITTEN,
};
use wire::steering::{EXECUTED, STEERED, Steered};
use wire::{Report, ReportReader};

/// How long the collector sleeps: after it found events, and at most when it finds none for long.
const NAPS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(5));
/// The collector does not sleep after a ring held this many bytes: the ring may soon be full.
const MUCH: u64 = RING_SIZES[1] / 2;

/// How long rings are not read while events are dropped. A thread that waits for longer takes the collector
/// for dead.
const HOLD: Duration = Duration::from_secs(5);

/// A ring without new events for this long is not polled every time.
const QUIET: Duration = Duration::from_millis(50);
/// How often all rings are polled.
const SWEEP: Duration = Duration::from_millis(250);

/// A thread that has written this many bytes counts as busy.
const WORTH: u64 = 1 << 16;

/// Events are stored uncompressed while the program runs, up to one part in this many of the machine's
/// memory: the page cache holds that much without waiting for the disk.
const LOOSE: u64 = 8;
/// The same limit in bytes, when the system does not report its memory.
const LOOSE_BYTES: u64 = 512 << 20;

/// What the collector moved, over all rings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectedEvents {
    /// Size of the events, without dropped ones, in bytes.
    pub bytes: u64,
    /// Size of the events on disk, in bytes.
    pub stored: u64,
    /// How long the program's threads waited for room in their rings, in total.
    pub waited: Duration,
    /// Reasons why events are missing.
    pub missing: Vec<String>,
    /// The first events, if they were dropped to limit the size.
    pub dropped: Option<Dropped>,
    /// The files and folders that the program wrote, made, removed or renamed, and whether they were there
    /// before.
    pub written_files: Vec<(PathBuf, bool)>,
    /// Whether the program started other processes.
    pub has_children: bool,
    /// Whether the program made sockets of the network.
    pub has_sockets: bool,
    /// Whether the program reached the place where recording starts, and the place where it ends.
    pub reached: (bool, bool),
    /// How often the program executed the jump to be steered, and how often it was steered.
    pub steered: Steered,
    /// Number of objects of `StackOverflowError` that recorded code met.
    pub overflows: u64,
}

/// A running collector.
pub struct Collector {
    over: Arc<AtomicBool>,
    thread: JoinHandle<CollectedEvents>,
    events: PathBuf,
}

impl Collector {
    /// Starts the collector. If it later cannot read or write, the program goes on unrecorded. With
    /// `max_size`, the events take at most this many bytes on disk: the oldest ones are dropped.
    ///
    /// # Errors
    /// The folder's files cannot be opened, or no thread can be started.
    pub fn begin(folder: &Folder, max_size: Option<u64>) -> Result<Collector, TraceError> {
        let compaction = max_size.map(|limit| Compaction::new(folder, limit));
        let most = compaction.as_ref().map_or(u64::MAX, Compaction::most_loose);
        let writer = ChunkWriter::open(&folder.events())?.in_haste(loose().min(most));
        let report = ReportReader::open(&folder.sites()).map_err(TraceError::at(&folder.sites()))?;
        let over = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            folder: folder.clone(),
            writer,
            compaction,
            report,
            board: Board::open(folder)?,
            files: BTreeMap::new(),
            rings: BTreeMap::new(),
            active: BTreeMap::new(),
            sweep: Instant::now(),
            held: None,
            swept: [0; 2],
            collected: CollectedEvents::default(),
            buffer: vec![0; usize::try_from(RING_SIZES[0]).unwrap_or_default()].into(),
            apart: CpuAvoidance::of_this_thread(),
        };
        let ends = over.clone();
        let thread = std::thread::Builder::new().name("collector".to_owned()).spawn(move || work.run(&ends));
        let (thread, events) = (thread.map_err(TraceError::at(folder.path()))?, folder.events());
        Ok(Collector { over, thread, events })
    }

    /// Moves the remaining events after the program has ended, and compresses some of them.
    pub fn finish(self) -> CollectedEvents {
        self.over.store(true, Ordering::Release);
        // The thread does not panic; if it did, its result is not needed.
        let mut collected = self.thread.join().unwrap_or_default();
        collected.stored = pack_for_a_moment(&self.events).unwrap_or(collected.stored);
        collected
    }
}

/// The limit for uncompressed events, in bytes.
fn loose() -> u64 {
    platform::resources::memory().map_or(LOOSE_BYTES, |bytes| bytes / LOOSE)
}

struct Work {
    folder: Folder,
    writer: ChunkWriter,
    /// Drops the oldest events.
    compaction: Option<Compaction>,
    report: ReportReader,
    board: Board,
    /// The ring files, by number.
    files: BTreeMap<u32, File>,
    /// The rings, by their slot on the board.
    rings: BTreeMap<u32, Ring>,
    /// The slots that are polled every time, and when each last had events.
    active: BTreeMap<u32, Instant>,
    /// When all rings are polled next.
    sweep: Instant,
    /// Since when rings are not read, because events are dropped.
    held: Option<Instant>,
    /// Size of the file when all rings were polled last, and before that.
    swept: [u64; 2],
    collected: CollectedEvents,
    buffer: Box<[u8]>,
    apart: CpuAvoidance,
}

/// The collector's state of one ring.
struct Ring {
    place: RingPlace,
    /// The ring's thread has ended and all its events were moved.
    is_free: bool,
    /// The thread whose events were overwritten before they were moved.
    lost: Option<u32>,
}

impl Work {
    fn run(&mut self, over: &AtomicBool) -> CollectedEvents {
        let collected = self.collect(over);
        let finished =
            self.compaction.as_mut().map_or(Ok(()), |compaction| compaction.finish(&mut self.writer));
        if let Err(error) = collected.and(finished) {
            // The program goes on and no longer waits for room.
            self.collected.missing.push(format!("{error}: later events are missing"));
            drop(self.board.stop());
        }
        self.forget();
        self.collected.stored = self.writer.stored;
        self.collected.bytes = self.writer.bytes;
        self.collected.dropped = self.compaction.as_ref().and_then(Compaction::dropped);
        self.collected.clone()
    }

    fn collect(&mut self, over: &AtomicBool) -> Result<(), TraceError> {
        let mut nap = NAPS.0;
        loop {
            // Read the flag before polling: all events written before it was set are then moved.
            let last = over.load(Ordering::Acquire);
            let began = Instant::now();
            self.look_for_rings()?;
            if !last && !self.tend(began)? && self.held.get_or_insert(began).elapsed() < HOLD {
                // The program waits when its rings are full.
                std::thread::sleep(NAPS.1);
                continue;
            }
            self.held = None;
            let mut most = 0;
            for slot in self.due(began, last)? {
                let taken = self.take(slot)?;
                if taken > 0 {
                    self.active.insert(slot, began);
                }
                most = taken.max(most);
            }
            self.active.retain(|_, since| began.duration_since(*since) < QUIET);
            if last && most == 0 {
                return Ok(());
            }
            nap = if most > 0 { NAPS.0 } else { (nap * 2).min(NAPS.1) };
            if most < MUCH && !last {
                // With many rings the collector uses at most half a CPU.
                std::thread::sleep(nap.max(began.elapsed().min(NAPS.1)));
            }
        }
    }

    /// Drops the oldest events, if the size is limited. Returns whether events may be added now.
    fn tend(&mut self, now: Instant) -> Result<bool, TraceError> {
        let Some(compaction) = &mut self.compaction else { return Ok(true) };
        let [_, swept] = self.swept;
        if compaction.needs_sweep(&self.writer, swept) {
            self.sweep = now;
        }
        let before = self.writer.stored;
        let may_add = compaction.tend(&mut self.writer, swept)?;
        if self.writer.stored != before {
            // It is another file.
            self.swept = [0; 2];
        }
        Ok(may_add)
    }

    fn look_for_rings(&mut self) -> Result<(), TraceError> {
        let path = self.folder.sites();
        for report in self.report.more().map_err(TraceError::at(&path))? {
            match report {
                Report::Ring(RingReport { place, .. }) => {
                    if let Entry::Vacant(new) = self.files.entry(place.file) {
                        let file = self.folder.rings().join(place.name());
                        let opened = File::options().read(true).write(true).open(&file);
                        new.insert(opened.map_err(TraceError::at(&file))?);
                    }
                    self.rings.entry(place.slot).or_insert(Ring { place, is_free: false, lost: None });
                }
                Report::Wrote(path) => self.collected.written_files.push((path.into(), false)),
                Report::Existed(path) => self.collected.written_files.push((path.into(), true)),
                Report::Forked => self.collected.has_children = true,
                Report::Socket => self.collected.has_sockets = true,
                Report::Problem(problem) => self.collected.missing.push(problem),
                Report::Reached { is_end: false } => self.collected.reached.0 = true,
                Report::Reached { is_end: true } => self.collected.reached.1 = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// The slots to poll now: flagged ones, recently active ones, and now and then all. A thread may pause
    /// between setting its flag and writing.
    fn due(&mut self, now: Instant, all: bool) -> Result<Vec<u32>, TraceError> {
        let path = self.folder.board();
        let last = self.rings.last_key_value().map_or(0, |(slot, _)| slot + 1);
        for slot in self.board.flagged(last).map_err(TraceError::at(&path))? {
            self.active.insert(slot, now);
        }
        if all || now >= self.sweep {
            self.sweep = now + SWEEP;
            self.swept = [self.writer.stored, self.swept[0]];
            return Ok(self.rings.keys().copied().collect());
        }
        Ok(self.active.keys().copied().collect())
    }

    /// Moves the events of one ring and returns their size in bytes. Frees the ring when its thread has ended
    /// and it is empty.
    fn take(&mut self, slot: u32) -> Result<u64, TraceError> {
        let Some(ring) = self.rings.get_mut(&slot) else { return Ok(0) };
        let Some(file) = self.files.get(&ring.place.file) else { return Ok(0) };
        let (path, at) = (self.folder.rings(), ring.place.at);
        let control = Control::read(file, at).map_err(TraceError::at(&path))?;
        if control.ended == FREE {
            ring.is_free = true;
            return Ok(0);
        }
        if ring.is_free {
            // Another thread has taken the ring over, perhaps while its control words were read: read them
            // again.
            (ring.is_free, ring.lost) = (false, None);
            return Ok(1);
        }
        let there = control.written.saturating_sub(control.taken);
        if there == 0 || ring.lost == Some(control.owner) {
            if control.ended != 0 {
                self.collected.waited += control.waited;
                ring.is_free = true;
                set(file, at + ENDED, FREE).map_err(TraceError::at(&path))?;
            }
            return Ok(0);
        }
        if there > WORTH {
            self.apart.leave(control.thread);
        }
        // A ring never holds more than its size, unless events were overwritten.
        let events = usize::try_from(there).ok().and_then(|there| self.buffer.get_mut(..there));
        let events = events.filter(|_| control.keeps(control.taken));
        let read = events.map(|events| {
            read_ring(file, at, &control, events)?;
            // Check again: the events must not have been overwritten during the read.
            Ok(Control::read(file, at)?.keeps(control.taken).then_some(events))
        });
        let owner = control.owner;
        let Some(events) = read.transpose().map_err(TraceError::at(&path))?.flatten() else {
            let what = format!("events of thread {owner} were overwritten before they were saved");
            self.collected.missing.push(what);
            ring.lost = Some(owner);
            return Ok(0);
        };
        self.writer.append(owner, control.taken, events)?;
        set(file, at + TAKEN, control.written).map_err(TraceError::at(&path))?;
        // A small ring that is more than half full would soon make its thread wait.
        Ok(if there > control.size / 2 { MUCH } else { there })
    }

    /// Removes the rings and adds the waiting time of the threads that still run.
    fn forget(&mut self) {
        for ring in std::mem::take(&mut self.rings).into_values() {
            if let Some(file) = self.files.get(&ring.place.file)
                && let Ok(control) = Control::read(file, ring.place.at)
                && control.ended != FREE
            {
                self.collected.waited += control.waited;
            }
        }
        if self.board.is_untold() {
            let what = "the agent could not write to sites.jsonl: the methods and threads it could not report are missing";
            self.collected.missing.push(what.to_owned());
        }
        self.collected.steered = self.board.steered();
        self.collected.overflows = self.board.word(OVERFLOWS);
        drop(std::fs::remove_dir_all(self.folder.rings()));
    }
}

/// The board: one flag per ring, set when its thread wrote.
struct Board {
    file: File,
    buffer: Vec<u8>,
}

impl Board {
    fn open(folder: &Folder) -> Result<Board, TraceError> {
        let path = folder.board();
        let file = File::options().read(true).write(true).open(&path).map_err(TraceError::at(&path))?;
        Ok(Board { file, buffer: Vec::new() })
    }

    /// Returns and clears the flags of the first `rings` rings.
    fn flagged(&mut self, rings: u32) -> std::io::Result<Vec<u32>> {
        self.buffer.resize(usize::try_from(rings).unwrap_or(0), 0);
        self.file.read_exact_at(&mut self.buffer, BOARD_FLAGS)?;
        let flagged: Vec<u32> =
            (0..).zip(&self.buffer).filter(|(_, flag)| **flag != 0).map(|(slot, _)| slot).collect();
        for slot in &flagged {
            self.file.write_all_at(&[0], BOARD_FLAGS + u64::from(*slot))?;
        }
        Ok(flagged)
    }

    /// Tells the program that the collector has stopped.
    fn stop(&self) -> std::io::Result<()> {
        set(&self.file, STOPPED, 1)
    }

    /// Whether the agent could not write to its report.
    fn is_untold(&self) -> bool {
        self.word(UNTOLD) != 0
    }

    /// How often the jump was executed and steered.
    fn steered(&self) -> Steered {
        Steered { executed: self.word(EXECUTED), steered: self.word(STEERED) }
    }

    /// A word; 0 if it cannot be read.
    fn word(&self, at: u64) -> u64 {
        let mut word = [0; 8];
        self.file.read_exact_at(&mut word, at).map_or(0, |()| u64::from_le_bytes(word))
    }
}

/// The control words of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Control {
    /// Size of the ring's data, in bytes.
    size: u64,
    written: u64,
    taken: u64,
    /// The operating system's id of the thread.
    thread: u64,
    /// The number of the thread that owns the events.
    owner: u32,
    /// Whether that thread has ended.
    ended: u64,
    /// The thread no longer waits for room.
    is_forsaken: bool,
    waited: Duration,
}

impl Control {
    fn read(file: &File, ring: u64) -> std::io::Result<Control> {
        let mut words = [0; CONTROL];
        file.read_exact_at(&mut words, ring)?;
        let word = |at: u64| {
            let at = usize::try_from(at).unwrap_or(0);
            let bytes = words.get(at..).and_then(|rest| rest.first_chunk::<8>());
            bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
        };
        let waited = Duration::from_micros(word(WAITED));
        // The file may be damaged, or a thread may be initialising it: limit the size to that of the largest
        // ring.
        let size = (word(MASK) & (RING_SIZES[0] - 1)) + 1;
        let (written, taken, thread) = (word(WRITTEN), word(TAKEN), word(THREAD));
        let (ended, owner) = (word(ENDED), u32::try_from(word(OWNER)).unwrap_or(0));
        let is_forsaken = word(LIMIT) == i64::MAX.cast_unsigned();
        Ok(Control { size, written, taken, thread, owner, ended, is_forsaken, waited })
    }

    /// Whether the ring still holds all bytes from this one on.
    fn keeps(&self, from: u64) -> bool {
        // A thread that does not wait may be overwriting these bytes right now.
        let begun = if self.is_forsaken { LONGEST_EVENT } else { 0 };
        self.written.saturating_add(begun).saturating_sub(from) <= self.size
    }
}

fn set(file: &File, at: u64, word: u64) -> std::io::Result<()> {
    file.write_all_at(&word.to_le_bytes(), at)
}

/// Reads the first bytes that were not yet moved; they may wrap around to the ring's start.
fn read_ring(file: &File, at: u64, ring: &Control, into: &mut [u8]) -> std::io::Result<()> {
    let begin = ring.taken % ring.size;
    let first = usize::try_from(ring.size - begin).unwrap_or_default().min(into.len());
    let (head, tail) = into.split_at_mut(first);
    file.read_exact_at(head, at + RING_DATA + begin)?;
    if !tail.is_empty() {
        file.read_exact_at(tail, at + RING_DATA)?;
    }
    Ok(())
}

/// The events left in a thread's ring, which starts at byte `at` of its file, and the number of bytes moved
/// before them. `None` when they are lost or the ring belongs to another thread.
pub fn left_in(file: &File, thread: u32, at: u64) -> std::io::Result<Option<(u64, Vec<u8>)>> {
    let control = Control::read(file, at)?;
    let there = control.written.saturating_sub(control.taken);
    if control.owner != thread
        || control.ended == FREE
        || there > control.size
        || !control.keeps(control.taken)
    {
        return Ok(None);
    }
    let mut events = vec![0; usize::try_from(there).unwrap_or_default()];
    read_ring(file, at, &control, &mut events)?;
    // A collector that still runs may have moved the events, and new ones may lie in their place.
    let now = Control::read(file, at)?;
    if now.owner != thread {
        return Ok(None);
    }
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

    /// A ring file with these control words.
    fn ring(words: &[(u64, u64)]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(RING_DATA).unwrap();
        for (at, word) in [(MASK, RING_SIZES[1] - 1)].iter().chain(words) {
            set(&file, *at, *word).unwrap();
        }
        file
    }

    #[test]
    fn overwritten_events_are_not_kept() {
        let (size, nobody) = (RING_SIZES[1], i64::MAX.cast_unsigned());
        let keeps = |written, limit| {
            let words = [(WRITTEN, written), (LIMIT, limit), (TAKEN, 100)];
            let control = Control::read(&ring(&words), 0).unwrap();
            control.keeps(control.taken)
        };
        // A thread that waits for room overwrites nothing, however full the ring is.
        assert!(keeps(100 + size, 100 + size - LONGEST_EVENT));
        assert!(!keeps(101 + size, 100 + size - LONGEST_EVENT));
        // A thread that does not wait may have started the next event.
        assert!(keeps(100 + size - LONGEST_EVENT, nobody));
        assert!(!keeps(101 + size - LONGEST_EVENT, nobody));
        // Events that were present at the first read and overwritten before the second.
        let file = ring(&[(WRITTEN, 500), (TAKEN, 100)]);
        let before = Control::read(&file, 0).unwrap();
        assert!(before.keeps(before.taken));
        set(&file, LIMIT, nobody).unwrap();
        set(&file, WRITTEN, 500 + size).unwrap();
        assert!(!Control::read(&file, 0).unwrap().keeps(before.taken));
    }
}
