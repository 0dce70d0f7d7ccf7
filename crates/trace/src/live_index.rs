//! Builds the tables of calls and objects while the program runs, so that the first question finds them. A
//! thread of low priority reads the chunks that the collector has written. It never makes the program wait:
//! what it has not read when the program ends is read then. When events are dropped (`compaction`), the work
//! ends, and the first question builds the tables.

use super::chunks::{ChunkAt, ChunkReader, free, header_at, is_still_there};
use super::columns::{ChunkWork, Columns, IndexBuilder, KnownSites, Scanned};
use super::error::TraceError;
use super::folder::{About, Folder};
use super::growth::{EventShares, LARGE_RECORDING};
use super::sites::Sites;
use super::source::Source;
use super::writes_table::keep;
use files::TemporaryFolder;
use platform::resources::lower_priority_of_thread;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use wire::ReportReader;
use wire::recording::Level;

/// The tables of a recording with fewer bytes of events are built in a moment by the first question.
const LEAST: u64 = 32 << 20;
/// How long the thread sleeps when there are no new chunks.
const NAP: Duration = Duration::from_millis(20);
/// How often the shares of a large recording are counted.
const COUNTS: Duration = Duration::from_secs(1);
/// Number of chunks that are found before they are read.
const AT_ONCE: usize = 64;
/// The lowest number of a thread.
const FIRST_THREAD: u32 = 1;
/// The work ends when the free disk space is less than one part in this many of the events.
const SPARED: u64 = 2;

/// Follows a recording that grows. Dropping it ends the work.
pub struct IndexFollower {
    stop: Arc<AtomicBool>,
    shares: Arc<Mutex<Option<EventShares>>>,
    thread: Option<JoinHandle<Option<PartialIndex>>>,
}

impl IndexFollower {
    /// Starts the thread for a recording at a level. Rows take at most `memory` bytes of memory. If the
    /// thread fails, the first question builds the tables.
    pub fn begin(folder: &Folder, level: Level, memory: usize) -> IndexFollower {
        let stop = Arc::new(AtomicBool::new(false));
        let followed = FollowedRecording { folder: folder.clone(), level, memory };
        let (stopped, shares) = (stop.clone(), Arc::<Mutex<Option<EventShares>>>::default());
        let told = shares.clone();
        let tell = move |index: &PartialIndex| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(index.shares());
        };
        let work = move || follow(&followed, &tell, &stopped);
        let thread = std::thread::Builder::new().name("index".to_owned()).spawn(work);
        IndexFollower { stop, shares, thread: thread.ok() }
    }

    /// What makes the recording large, as far as the thread has read it. `None` while it is not large.
    pub fn shares(&self) -> Option<EventShares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the thread, which must be done before the events are compressed. Returns the unfinished tables,
    /// if there are any.
    pub fn stop(mut self) -> Option<PartialIndex> {
        self.end()
    }

    fn end(&mut self) -> Option<PartialIndex> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        // The thread does not panic; if it did, the first question would build the tables.
        thread.join().ok()?
    }
}

impl Drop for IndexFollower {
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// A recording that grows, and the memory for rows of its tables, in bytes.
struct FollowedRecording {
    folder: Folder,
    level: Level,
    memory: usize,
}

/// The work of the thread. `None` if there are too few events, or after a failure.
fn follow(
    followed: &FollowedRecording,
    tell: &dyn Fn(&PartialIndex),
    stop: &AtomicBool,
) -> Option<PartialIndex> {
    let FollowedRecording { folder, level, memory } = followed;
    lower_priority_of_thread();
    let mut index: Option<PartialIndex> = None;
    let events = File::open(folder.events()).ok()?;
    let mut next = Instant::now();
    // Another file takes its place when events are dropped.
    while !stop.load(Ordering::Relaxed) && is_still_there(&events, &folder.events()) {
        let has_added = match &mut index {
            Some(index) => index.catch_up(stop).ok()?,
            None if events.metadata().ok()?.len() < LEAST => false,
            none => none.insert(PartialIndex::begin(folder, *level, *memory).ok()??).catch_up(stop).ok()?,
        };
        if let Some(index) = &index
            && index.builder.bytes() >= LARGE_RECORDING
            && Instant::now() >= next
        {
            tell(index);
            next = Instant::now() + COUNTS;
        }
        if !has_added {
            std::thread::park_timeout(NAP);
        }
    }
    index.filter(|_| is_still_there(&events, &folder.events()))
}

/// Unfinished tables of a recording.
pub struct PartialIndex {
    builder: IndexBuilder,
    /// The folder of the tables. It comes after the builder, whose threads write to it.
    place: TemporaryFolder,
    events: File,
    reader: ChunkReader,
    level: Level,
    /// The agent's report, and what it has said.
    report: ReportReader,
    sites: Sites,
    known: KnownSites,
    /// The chunks that were added.
    chunks: Vec<ChunkAt>,
    buffers: (Vec<u8>, Scanned),
}

impl PartialIndex {
    /// Without chunks. `None` if no tables can be kept beside the events.
    fn begin(folder: &Folder, level: Level, memory: usize) -> Result<Option<PartialIndex>, TraceError> {
        let (place, is_beside) = folder.place_for_columns()?;
        if !is_beside {
            return Ok(None);
        }
        let path = folder.events();
        let events = File::open(&path).map_err(TraceError::at(&path))?;
        let reader = ChunkReader::of(&path, events.try_clone().map_err(TraceError::at(&path))?);
        let sites = Sites::default();
        Ok(Some(PartialIndex {
            builder: IndexBuilder::new(FIRST_THREAD, place.path(), memory)?,
            place,
            events,
            reader,
            level,
            report: ReportReader::open(&folder.sites()).map_err(TraceError::at(&folder.sites()))?,
            known: KnownSites::of(&sites),
            sites,
            chunks: Vec::new(),
            buffers: Default::default(),
        }))
    }

    /// What makes the recording large, as far as it was read.
    fn shares(&self) -> EventShares {
        EventShares::of(self.builder.counts(), &self.sites, self.level, self.builder.bytes())
    }

    /// Adds chunks that were written meanwhile. Returns whether there were any.
    ///
    /// # Errors
    /// A file cannot be read or written, a chunk is damaged, or the disk is nearly full.
    fn catch_up(&mut self, stop: &AtomicBool) -> Result<bool, TraceError> {
        let path = self.reader.path().to_owned();
        let end = self.events.metadata().map_err(TraceError::at(&path))?.len();
        if free(&self.events).is_some_and(|free| free < end / SPARED) {
            return Err(TraceError::at(&path)(std::io::ErrorKind::StorageFull.into()));
        }
        let mut found = Vec::new();
        let mut at = self.chunks.last().map_or(0, ChunkAt::end);
        while found.len() < AT_ONCE
            && let Some(chunk) = header_at(&self.events, at, end)
        {
            at = chunk.end();
            found.push(chunk);
        }
        if found.is_empty() {
            return Ok(false);
        }
        // The agent reports sites before their events, so read the report after the chunks were found.
        self.read_report(&path)?;
        let PartialIndex { builder, reader, sites, known, chunks, buffers: (events, buffer), .. } = self;
        let (mut scanner, mut again) = (known.scanner(sites), known.scanner(sites));
        for chunk in found {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let number = u32::try_from(chunks.len()).map_err(|_| TraceError::TooManyCalls)?;
            if !reader.read_into(&chunk, events)? {
                return Err(TraceError::ChunkChanged(number));
            }
            let scanned = scanner.work(number, events, std::mem::take(buffer));
            let mut rescan = |outer, buffer| Ok(again.scan(events, Some(outer), buffer));
            *buffer = builder.add(sites, &chunk, Some(scanned), &mut rescan)?.unwrap_or_default();
            chunks.push(chunk);
        }
        Ok(true)
    }

    fn read_report(&mut self, path: &Path) -> Result<(), TraceError> {
        let reports = self.report.more().map_err(TraceError::at(path))?;
        if !reports.is_empty() {
            reports.into_iter().for_each(|report| self.sites.add(report));
            self.known = KnownSites::of(&self.sites);
        }
        Ok(())
    }

    /// Adds the remaining chunks of a recording that has ended, and keeps the tables, if it can: otherwise
    /// the first question builds them.
    ///
    /// # Errors
    /// Events cannot be read or a table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
    /// false.
    pub fn finish(
        mut self,
        folder: &Folder,
        about: &About,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<FinishedIndex, TraceError> {
        let (source, sites) = Source::open(folder, about)?;
        let is_lower = |chunk: &ChunkAt| chunk.thread < FIRST_THREAD;
        let is_same = !source.has_dropped()
            && source.chunks.len() >= self.chunks.len()
            && self.chunks.iter().zip(&source.chunks).all(|(known, now)| known.is_same(now));
        if !is_same || !source.missing.is_empty() || source.chunks.iter().any(is_lower) {
            return Ok(FinishedIndex::default());
        }
        self.read_report(&folder.sites())?;
        self.builder.add_all(&source, &self.sites, self.chunks.len(), goes_on)?;
        let shares = Some(self.shares());
        if self.builder.finish(&source, &sites)?.is_none() {
            return Ok(FinishedIndex { is_kept: false, shares });
        }
        Columns::seal(self.place.path())?;
        Ok(FinishedIndex { is_kept: keep(self.place, &folder.columns()).is_none(), shares })
    }
}

/// What came of the tables of a recording that has ended.
#[derive(Debug, Default)]
pub struct FinishedIndex {
    /// Whether questions find them.
    pub is_kept: bool,
    /// What makes the recording large, if all of it was read.
    pub shares: Option<EventShares>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{Calls, OpenOptions};
    use crate::chunks::ChunkWriter;
    use crate::compaction::Compaction;
    use crate::folder::RecordingOutcome;
    use std::collections::BTreeMap;
    use std::io::Write;

    /// A class with a constructor, whose sites are entry, birth, return and a write before `super(…)`, and
    /// a method, whose sites are entry, return, leave and catch. The sites' numbers begin at `first`.
    fn report(class: &str, first: u32) -> String {
        let site = |n: u32, what: &str, written: &str| {
            let id = first + n;
            format!(r#"{{"id":{id},"bci":0,"line":null,"what":"{what}","written":{written}}}"#)
        };
        let field = format!(r#"{{"class":"{class}","name":"f","descriptor":"I"}}"#);
        let made = [(0, "Enter", "null"), (1, "Born", "null"), (2, "Return", "null"), (3, "Preset", &field)];
        let called = [(4, "Enter"), (5, "Return"), (6, "Leave"), (7, "Catch")];
        let made = made.map(|(n, what, written)| site(n, what, written)).join(",");
        let called = called.map(|(n, what)| site(n, what, "null")).join(",");
        let method = |name: &str, access: u32, sites: &str| {
            let facts = format!(r#""descriptor":"()V","access":{access},"level":"writes","parameters":[]"#);
            format!(r#"{{"name":"{name}",{facts},"sites":[{sites}]}}"#)
        };
        let methods = [method("<init>", 1, &made), method("m", 8, &called)].join(",");
        let facts = r#""source":null,"superclass":null,"access":1,"interfaces":[],"fields":[{"name":"f","descriptor":"I","access":1}],"left":[]"#;
        format!(r#"{{"Traced":{{"class":"{class}",{facts},"methods":[{methods}]}}}}"#) + "\n"
    }

    /// The events of a call that makes an object, in a call that stays open in some chunks.
    fn events(first: u32, n: u32) -> Vec<u8> {
        let mut words = Vec::new();
        let (made, called) = (first, first + 4);
        // A turn of its own.
        words.extend([1, n + 1, 0]);
        if n % 15 < 2 {
            words.push(called);
        }
        // An exception is met where it leaves the call.
        words.extend([called, made, made + 3, n, made + 1, 100 + n, made + 2, called + 2, 7]);
        // The object of a constructor is known some chunks later.
        words.extend(if n % 15 == 2 { vec![made, made + 3, n] } else { Vec::new() });
        words.extend(if n % 15 == 14 { vec![made + 1, 500 + n, made + 2] } else { Vec::new() });
        words.extend(if n % 15 >= 12 && n % 15 < 14 { vec![called + 3, 7, called + 1] } else { Vec::new() });
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let named = entries.map(|entry| (entry.file_name().into_string().unwrap(), entry.path()));
        let tables = named.filter(|(name, _)| name != "checksums.json");
        tables.map(|(name, path)| (name, std::fs::read(path).unwrap())).collect()
    }

    /// A recording of three threads, whose second class is reported later.
    struct Growing {
        _temporary: tempfile::TempDir,
        folder: Folder,
        writer: ChunkWriter,
        ends: [u64; 3],
        next: u32,
    }

    impl Growing {
        fn new() -> Growing {
            let temporary = tempfile::tempdir().unwrap();
            let folder = Folder::create(&temporary.path().join("trace"), &About::default()).unwrap();
            std::fs::write(folder.sites(), report("A", 16)).unwrap();
            let writer = ChunkWriter::open(&folder.events()).unwrap();
            Growing { _temporary: temporary, folder, writer, ends: [0; 3], next: 0 }
        }

        fn grow(&mut self, chunks: u32) {
            for n in self.next..self.next + chunks {
                if n == 20 {
                    let mut sites = File::options().append(true).open(self.folder.sites()).unwrap();
                    sites.write_all(report("B", 24).as_bytes()).unwrap();
                }
                let thread = n as usize % 3;
                let events = events(if n > 20 && n % 2 == 0 { 24 } else { 16 }, n);
                self.writer.append(u32::try_from(thread).unwrap() + 1, self.ends[thread], &events).unwrap();
                self.ends[thread] += events.len() as u64;
            }
            self.next += chunks;
        }

        fn end(&self) -> About {
            std::fs::remove_dir_all(self.folder.rings()).unwrap();
            let sites = Some(self.folder.sites_checksum().unwrap());
            let about = About {
                recorded: Some(RecordingOutcome { sites, ..Default::default() }),
                ..About::default()
            };
            self.folder.say(&about).unwrap();
            about
        }
    }

    fn open(folder: &Folder, about: &About) -> Calls {
        let opening =
            OpenOptions { memory: 1 << 20, goes_on: &mut |_, _| true, is_interrupted: Arc::new(|| false) };
        Calls::open(folder, about, opening).unwrap()
    }

    #[test]
    fn tables_built_while_the_program_runs_have_the_same_bytes() {
        // The little memory makes rows of other threads wait in files.
        for memory in [1 << 20, 64] {
            let mut growing = Growing::new();
            let mut index = PartialIndex::begin(&growing.folder, Level::All, memory).unwrap().unwrap();
            for _ in 0..6 {
                growing.grow(10);
                assert!(index.catch_up(&AtomicBool::new(false)).unwrap());
            }
            assert!(!index.catch_up(&AtomicBool::new(false)).unwrap());
            // Some chunks come when nobody follows any more.
            growing.grow(10);
            let about = growing.end();
            let known = growing.folder.columns();
            let mut asked = Vec::new();
            let mut goes_on = |done, of| {
                asked.push((done, of));
                true
            };
            assert!(index.finish(&growing.folder, &about, &mut goes_on).unwrap().is_kept);
            assert_eq!(asked, (61..=70).map(|done| (done, 70)).collect::<Vec<_>>());
            let live = files(&known);
            std::fs::remove_dir_all(&known).unwrap();
            let calls = open(&growing.folder, &about);
            // One end is of another class than the call that is open.
            let stray = "1 calls ended without a recorded beginning";
            assert_eq!((calls.count(), &*calls.missing), (155, &[stray.to_owned()][..]));
            let built = files(&known);
            assert_eq!(live.keys().collect::<Vec<_>>(), built.keys().collect::<Vec<_>>());
            for (name, bytes) in live {
                assert!(bytes == built[&name], "{name}");
            }
        }
    }

    fn begun(folder: &Folder) -> PartialIndex {
        let mut index = PartialIndex::begin(folder, Level::All, 1 << 20).unwrap().unwrap();
        assert!(index.catch_up(&AtomicBool::new(false)).unwrap());
        index
    }

    #[test]
    fn tables_of_other_events_are_not_kept() {
        let mut growing = Growing::new();
        growing.grow(10);
        let [cut, shorter, whole] = [0, 1, 2].map(|_| begun(&growing.folder));
        let about = growing.end();
        let mut goes_on = |_, _| true;
        let events = std::fs::read(growing.folder.events()).unwrap();
        for (index, bytes) in [(cut, events.len() - 1), (shorter, events.len() / 2)] {
            std::fs::write(growing.folder.events(), &events[..bytes]).unwrap();
            assert!(!index.finish(&growing.folder, &about, &mut goes_on).unwrap().is_kept);
        }
        std::fs::write(growing.folder.events(), &events).unwrap();
        assert!(whole.finish(&growing.folder, &about, &mut goes_on).unwrap().is_kept);
    }

    #[test]
    fn tables_are_not_kept_if_events_were_dropped() {
        let mut growing = Growing::new();
        growing.grow(30);
        let index = begun(&growing.folder);
        let mut compaction = Compaction::new(&growing.folder, growing.writer.stored / 2);
        compaction.finish(&mut growing.writer).unwrap();
        growing.grow(10);
        let about = growing.end();
        assert!(!index.finish(&growing.folder, &about, &mut |_, _| true).unwrap().is_kept);
        let calls = open(&growing.folder, &About { dropped: compaction.dropped(), ..about });
        assert!((10..60).contains(&calls.count()), "{}", calls.count());
    }

    #[test]
    fn tables_are_not_kept_if_a_class_became_ambiguous() {
        for is_ambiguous in [false, true] {
            let mut growing = Growing::new();
            let statics = |class: &str, first| {
                let report = report(class, first).replace("Preset", "PutStatic");
                report.replace(r#""access":1}],"left""#, r#""access":9}],"left""#)
            };
            std::fs::write(growing.folder.sites(), statics("A", 16)).unwrap();
            let events = [16 + 3, 0, 5].map(u32::to_le_bytes);
            growing.writer.append(1, 0, events.as_flattened()).unwrap();
            let index = begun(&growing.folder);
            if is_ambiguous {
                let other = statics("A", 24).replacen(r#""source""#, r#""loader":2,"source""#, 1);
                std::fs::write(growing.folder.sites(), statics("A", 16) + &other).unwrap();
            }
            let finished = index.finish(&growing.folder, &growing.end(), &mut |_, _| true).unwrap();
            assert_eq!(finished.is_kept, !is_ambiguous);
            // The one write is all there is.
            let shares = finished.shares.unwrap();
            assert_eq!((&*shares.classes[0].of, shares.classes[0].part), ("A", 1.0));
        }
    }
}
