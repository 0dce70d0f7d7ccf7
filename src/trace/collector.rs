//! Takes events out of the rings while the program writes them: a thread of its own, since compressing them
//! is work.

use super::chunks::ChunkWriter;
use super::cpu_affinity::CpuAvoidance;
use super::error::TraceError;
use super::folder::Folder;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wire::recording::{
    BOARD_FLAGS, CONTROL, ENDED, FREE, LIMIT, LONGEST_EVENT, MASK, OWNER, RING_DATA, RING_SIZES, RingPlace,
    RingReport, STOPPED, TAKEN, THREAD, UNTOLD, WAITED, WRITTEN,
};
use wire::{Report, ReportReader};

/// How long it sleeps: when there was something to take, and at most when there is nothing for long.
const NAPS: (Duration, Duration) = (Duration::from_micros(400), Duration::from_millis(5));
/// It does not sleep when a ring had so many bytes: that may soon be full.
const MUCH: u64 = RING_SIZES[1] / 2;

/// A ring in which nothing was found for so long is not looked at each time.
const QUIET: Duration = Duration::from_millis(50);
/// So often all rings are looked at.
const SWEEP: Duration = Duration::from_millis(250);

/// A thread that has written so many bytes is busy.
const WORTH: u64 = 1 << 16;

/// Events are written as they are, before it compresses them while the program runs, as long as they fit into
/// one part of so many of the machine's memory: what the system keeps there need not wait for the disk.
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
    thread: JoinHandle<Collected>,
}

impl Collector {
    /// Begins. Where no more can be taken out or written, the program goes on unrecorded.
    ///
    /// # Errors
    /// The folder's files cannot be opened, or there is no thread.
    pub fn begin(folder: &Folder) -> Result<Collector, TraceError> {
        let writer = ChunkWriter::open(&folder.events())?.in_haste(loose());
        let report = ReportReader::open(&folder.sites()).map_err(TraceError::at(&folder.sites()))?;
        let over = Arc::new(AtomicBool::new(false));
        let mut work = Work {
            folder: folder.clone(),
            writer,
            report,
            board: Board::open(folder)?,
            files: BTreeMap::new(),
            rings: BTreeMap::new(),
            active: BTreeMap::new(),
            sweep: Instant::now(),
            collected: Collected::default(),
            buffer: vec![0; usize::try_from(RING_SIZES[0]).unwrap_or_default()].into(),
            apart: CpuAvoidance::new(),
        };
        let ends = over.clone();
        let thread = std::thread::Builder::new().name("collector".to_owned()).spawn(move || work.run(&ends));
        Ok(Collector { over, thread: thread.map_err(TraceError::at(folder.path()))? })
    }

    /// Takes out what is left: the program has ended.
    pub fn finish(self) -> Collected {
        self.over.store(true, Ordering::Release);
        // It does not panic; if it did, nothing it holds is needed.
        self.thread.join().unwrap_or_default()
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
    board: Board,
    /// The files of rings, by number.
    files: BTreeMap<u32, File>,
    /// The rings, by the number of their bytes of the board.
    rings: BTreeMap<u32, Ring>,
    /// Those that are looked at each time, and when something was last found in them.
    active: BTreeMap<u32, Instant>,
    /// When all rings are looked at again.
    sweep: Instant,
    collected: Collected,
    buffer: Box<[u8]>,
    apart: CpuAvoidance,
}

/// A ring, as the collector knows it.
struct Ring {
    place: RingPlace,
    /// Its thread had ended, and all was taken out.
    is_free: bool,
    /// What was there was written over before it was taken out: the number of its thread.
    lost: Option<u32>,
}

impl Work {
    fn run(&mut self, over: &AtomicBool) -> Collected {
        if let Err(error) = self.collect(over) {
            // The program goes on, and waits for nobody.
            self.collected.missing.push(format!("{error}: what came later is missing"));
            drop(self.board.stop());
        }
        self.forget();
        self.collected.stored = self.writer.stored;
        self.collected.clone()
    }

    fn collect(&mut self, over: &AtomicBool) -> Result<(), TraceError> {
        let mut nap = NAPS.0;
        loop {
            // Looked at before the rings: what was written by then is taken out.
            let last = over.load(Ordering::Acquire);
            let began = Instant::now();
            self.look_for_rings()?;
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
                // Where there are many rings it takes no more than half of a processor.
                std::thread::sleep(nap.max(began.elapsed().min(NAPS.1)));
            }
        }
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
                Report::Problem(problem) => self.collected.missing.push(problem),
                Report::Reached { is_end: false } => self.collected.reached.0 = true,
                Report::Reached { is_end: true } => self.collected.reached.1 = true,
                _ => {}
            }
        }
        Ok(())
    }

    /// The rings to look at now: those that threads have gone on in, those that something was found in of
    /// late, and all of them now and then, since a thread may pause between saying that it goes on and doing
    /// so.
    fn due(&mut self, now: Instant, all: bool) -> Result<Vec<u32>, TraceError> {
        let path = self.folder.board();
        let last = self.rings.last_key_value().map_or(0, |(slot, _)| slot + 1);
        for slot in self.board.flagged(last).map_err(TraceError::at(&path))? {
            self.active.insert(slot, now);
        }
        if all || now >= self.sweep {
            self.sweep = now + SWEEP;
            return Ok(self.rings.keys().copied().collect());
        }
        Ok(self.active.keys().copied().collect())
    }

    /// Takes out what is in a ring: how many bytes. One whose thread has ended is another one's when it is
    /// empty.
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
            // It is another thread's since. Its words may have been read while that began: they are read
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
        // It is no more than the ring holds, unless that was written over.
        let events = usize::try_from(there).ok().and_then(|there| self.buffer.get_mut(..there));
        let events = events.filter(|_| control.keeps(control.taken));
        let read = events.map(|events| {
            read_ring(file, at, &control, events)?;
            // Nor while it was read.
            Ok(Control::read(file, at)?.keeps(control.taken).then_some(events))
        });
        let owner = control.owner;
        let Some(events) = read.transpose().map_err(TraceError::at(&path))?.flatten() else {
            let what = format!("events of thread {owner} were written over before they were taken out");
            self.collected.missing.push(what);
            ring.lost = Some(owner);
            return Ok(0);
        };
        self.writer.append(owner, control.taken, events)?;
        set(file, at + TAKEN, control.written).map_err(TraceError::at(&path))?;
        self.collected.bytes += there;
        // Where a small ring is nearly full its thread would wait.
        Ok(if there > control.size / 2 { MUCH } else { there })
    }

    /// The rings are gone; how long threads that have not ended have waited is known.
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
            let what = "the agent could not write to sites.jsonl: methods and threads that it could not tell of are missing";
            self.collected.missing.push(what.to_owned());
        }
        drop(std::fs::remove_dir_all(self.folder.rings()));
    }
}

/// The board, by which rings are found that were written to.
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

    /// Of so many rings, those in which threads have gone on since the last time.
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

    /// Says that no more is taken out.
    fn stop(&self) -> std::io::Result<()> {
        set(&self.file, STOPPED, 1)
    }

    /// Whether the agent could not write to its report.
    fn is_untold(&self) -> bool {
        let mut word = [0; 8];
        self.file.read_exact_at(&mut word, UNTOLD).is_ok() && word != [0; 8]
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
    /// The number of the thread whose events they are.
    owner: u32,
    /// Whether that has ended.
    ended: u64,
    /// Its thread does not wait for room any more.
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
        // A file may be changed, and a thread about to begin: no ring is larger.
        let size = (word(MASK) & (RING_SIZES[0] - 1)) + 1;
        let (written, taken, thread) = (word(WRITTEN), word(TAKEN), word(THREAD));
        let (ended, owner) = (word(ENDED), u32::try_from(word(OWNER)).unwrap_or(0));
        let is_forsaken = word(LIMIT) == i64::MAX.cast_unsigned();
        Ok(Control { size, written, taken, thread, owner, ended, is_forsaken, waited })
    }

    /// Whether the ring still holds all from a byte on.
    fn keeps(&self, from: u64) -> bool {
        // Who does not wait may be writing an event over it just now.
        let begun = if self.is_forsaken { LONGEST_EVENT } else { 0 };
        self.written.saturating_add(begun).saturating_sub(from) <= self.size
    }
}

fn set(file: &File, at: u64, word: u64) -> std::io::Result<()> {
    file.write_all_at(&word.to_le_bytes(), at)
}

/// Reads the first bytes of a ring that were not taken out, which may go on at its beginning.
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

/// What is left in the ring of a thread, which begins at this byte of its file: what comes before was taken
/// out, and the events from there on. None where that is unknown, or the ring is another thread's.
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
    // Who still takes them out has put them into the file, and others may lie in their place now.
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

    /// The file of a ring with these words.
    fn ring(words: &[(u64, u64)]) -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(RING_DATA).unwrap();
        for (at, word) in [(MASK, RING_SIZES[1] - 1)].iter().chain(words) {
            set(&file, *at, *word).unwrap();
        }
        file
    }

    #[test]
    fn what_may_be_written_over_while_it_is_read_is_not_there() {
        let (size, nobody) = (RING_SIZES[1], i64::MAX.cast_unsigned());
        let keeps = |written, limit| {
            let words = [(WRITTEN, written), (LIMIT, limit), (TAKEN, 100)];
            let control = Control::read(&ring(&words), 0).unwrap();
            control.keeps(control.taken)
        };
        // Who waits for room writes over nothing, however full it is.
        assert!(keeps(100 + size, 100 + size - LONGEST_EVENT));
        assert!(!keeps(101 + size, 100 + size - LONGEST_EVENT));
        // Who does not may have begun with the next event.
        assert!(keeps(100 + size - LONGEST_EVENT, nobody));
        assert!(!keeps(101 + size - LONGEST_EVENT, nobody));
        // It had been read before, and was written over since.
        let file = ring(&[(WRITTEN, 500), (TAKEN, 100)]);
        let before = Control::read(&file, 0).unwrap();
        assert!(before.keeps(before.taken));
        set(&file, LIMIT, nobody).unwrap();
        set(&file, WRITTEN, 500 + size).unwrap();
        assert!(!Control::read(&file, 0).unwrap().keeps(before.taken));
    }
}
