//! Joins what was found in single chunks: numbers the calls of a thread, and does what a chunk left to who
//! knows the calls that were open before. The chunks come in the order of the file, so their threads come
//! mixed: a call's number counts the calls of its thread until all chunks are known.

use super::call_table::CallTableWriter;
use super::chunk_scan::{APART_WORDS, ChunkScan, OUTER, OuterStep, PresetAt, ScannedCall};
use super::fields::Fields;
use super::met_objects::ObjectTable;
use super::open::OpenCalls;
use super::posting_lists::PostingLists;
use super::table::halves;
use super::thread_table::ThreadTable;
use super::writer::{BatchObserver, TableWriter};
use super::{BORN, CALLS, NONE, PRESETS, Summary, ThreadEnd};
use crate::TraceError;
use crate::event_time::ChunkOffset;
use crate::exit::Exit;
use crate::sites::Sites;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use wire::recording::{FIRST_SITE, ON_ERR, ON_OUT, Traced};

/// An open call.
#[derive(Clone, Copy)]
struct OpenCall {
    node: u32,
    /// For a constructor: the row of the object it creates; [`NONE`] for other methods.
    born: u32,
}

/// A field write before `super(…)`, when the object is not known yet.
struct Preset {
    /// The constructor call that writes it.
    node: u32,
    field: u32,
    turn: u64,
    place: ChunkOffset,
}

/// What is known of a thread behind its last chunk.
#[derive(Default)]
struct ThreadState {
    open: OpenCalls<OpenCall>,
    /// Writes before `super(…)` of the open calls; those of the innermost call are last.
    waiting: Vec<Preset>,
    /// The number of the next call.
    next: u32,
    turn: u64,
}

/// Joins the chunks of a recording.
pub struct Stitcher {
    /// Without the threads, until [`Stitcher::finish`].
    pub summary: Summary,
    /// At the start of a call, its method, caller and entry are known; at the end, its size, end position and
    /// outcome.
    calls: ThreadTable<3, 4>,
    born: ThreadTable<1, 1>,
    /// The calls of each method; the thread that writes the table of calls fills it.
    methods: Arc<Mutex<PostingLists>>,
    presets: TableWriter<6>,
    objects: ObjectTable,
    fields: Fields,
    /// Number of events of each site, and of those without a site.
    counts: Vec<u64>,
    apart: [u64; super::chunk_scan::APART],
    /// The sites that write fields, with the number of the field.
    of_sites: BTreeMap<u32, u32>,
    /// The thread of the current chunk, and its state.
    thread: Option<u32>,
    now: ThreadState,
    /// The other threads.
    others: BTreeMap<u32, ThreadState>,
    /// The calls that started threads, by the number of the thread's object: thread and number.
    starts: BTreeMap<u32, Option<(u32, u32)>>,
    strays: u64,
    chunk: u32,
}

impl Stitcher {
    /// Creates the tables in a folder. `first` is the lowest number of a thread. Rows take at most `memory`
    /// bytes of memory.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn new(first: u32, to: &Path, memory: usize) -> Result<Stitcher, TraceError> {
        let eighth = memory / 8;
        let methods = Arc::new(Mutex::new(PostingLists::new(to, 3 * eighth)));
        let (by_method, mut row) = (methods.clone(), 0);
        let of_calls: BatchObserver = Box::new(move |columns| {
            let of_each = columns.first().map_or(&[][..], Vec::as_slice);
            by_method.lock().unwrap_or_else(PoisonError::into_inner).push(row, of_each)?;
            row += u32::try_from(of_each.len()).unwrap_or(0);
            Ok(())
        });
        let calls = CallTableWriter::create(&to.join("calls.arrow"), CALLS, eighth, of_calls)?;
        let born = CallTableWriter::create(&to.join("born.arrow"), BORN, eighth, Box::new(|_| Ok(())))?;
        Ok(Stitcher {
            summary: Summary { format: super::FORMAT, ..Summary::default() },
            calls: ThreadTable::new(calls, to, first, eighth / 2),
            born: ThreadTable::new(born, to, first, eighth / 2),
            methods,
            presets: TableWriter::create(&to.join("presets.arrow"), PRESETS)?,
            objects: ObjectTable::new(to, 2 * eighth)?,
            fields: Fields::default(),
            counts: Vec::new(),
            apart: [0; super::chunk_scan::APART],
            of_sites: BTreeMap::new(),
            thread: None,
            now: ThreadState::default(),
            others: BTreeMap::new(),
            starts: BTreeMap::new(),
            strays: 0,
            chunk: 0,
        })
    }

    /// Chooses the thread of the next chunk.
    pub fn choose(&mut self, thread: u32) {
        if self.thread != Some(thread) {
            let next = self.others.remove(&thread).unwrap_or_default();
            let last = std::mem::replace(&mut self.now, next);
            self.others.extend(self.thread.replace(thread).map(|before| (before, last)));
            self.calls.choose(thread);
            self.born.choose(thread);
        }
    }

    /// Number of events of each site, by the site's number less [`FIRST_SITE`].
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The thread's state at the start of a chunk, as a row of the chunks' table. Calls count from 0.
    pub fn row(&self) -> [u32; 5] {
        let [high, low] = halves(self.now.turn);
        [high, low, self.now.next, self.now.open.innermost().map_or(NONE, |call| call.node), 1]
    }

    /// The methods of the open calls, the outermost first.
    pub fn open_methods(&self) -> Vec<u32> {
        self.now.open.methods().collect()
    }

    /// Adds the next chunk of the chosen thread.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn add(&mut self, sites: &Sites, chunk: u32, scan: &mut ChunkScan) -> Result<(), TraceError> {
        self.chunk = chunk;
        self.count(sites, scan);
        self.objects.add(&mut scan.objects)?;
        scan.streams.drain(..).for_each(|(object, what)| self.stream(object, what));
        let base = self.now.next;
        let entered = u32::try_from(scan.calls.len()).map_err(|_| TraceError::TooManyCalls)?;
        let end = base.checked_add(entered).ok_or(TraceError::TooManyCalls)?;
        for (this, preset) in scan.presets.drain(..) {
            if let Some(preset) = self.preset(sites, NONE, preset) {
                self.write_preset(this, &preset)?;
            }
        }
        // The innermost earlier call that is open after each number of steps.
        let mut outer = vec![self.innermost()];
        for (entered, step) in scan.steps.drain(..) {
            self.step(sites, step, base, base.saturating_add(entered))?;
            outer.push(self.innermost());
        }
        for call in &scan.calls {
            let ScannedCall { method, parent, enter_at, size, exit_at, how } = *call;
            let parent = match parent & OUTER {
                0 => base + parent,
                _ => {
                    let steps = usize::try_from(parent & !OUTER).unwrap_or(usize::MAX);
                    outer.get(steps).copied().unwrap_or(NONE)
                }
            };
            let (exit_chunk, exit_at) = exit_at.map_or((0, 0), |at| (chunk, at));
            self.calls.add([method, parent, enter_at], [size, exit_chunk, exit_at, how.number()])?;
        }
        // The rows of the objects that open constructors create.
        let mut rows = HashMap::new();
        let mut open = scan.open.iter().copied().peekable();
        for (call, object) in scan.born.drain(..) {
            let row = self.born.add([base + call], [object])?;
            while open.next_if(|of| *of < call).is_some() {}
            if open.next_if_eq(&call).is_some() {
                rows.insert(call, row);
            }
        }
        for call in scan.open.drain(..) {
            let method = usize::try_from(call).ok().and_then(|call| scan.calls.get(call));
            let born = rows.get(&call).copied().unwrap_or(NONE);
            self.now
                .open
                .enter(method.map_or(NONE, |call| call.method), OpenCall { node: base + call, born });
        }
        for (call, preset) in scan.waiting.drain(..) {
            let preset = self.preset(sites, base + call, preset);
            self.now.waiting.extend(preset);
        }
        self.now.next = end;
        self.now.turn = scan.turn.unwrap_or(self.now.turn);
        self.strays += scan.strays;
        Ok(())
    }

    fn innermost(&self) -> u32 {
        self.now.open.innermost().map_or(NONE, |call| call.node)
    }

    fn count(&mut self, sites: &Sites, scan: &mut ChunkScan) {
        if self.counts.len() < sites.numbers() {
            self.counts.resize(sites.numbers(), 0);
        }
        for (site, count) in scan.sites.drain(..) {
            let place = site.checked_sub(FIRST_SITE).and_then(|place| usize::try_from(place).ok());
            let Some(all) = place.and_then(|place| self.counts.get_mut(place)) else { continue };
            if *all == 0
                && let Some(site) = sites.site(site)
                && matches!(site.what, Traced::Put | Traced::PutStatic | Traced::Preset)
            {
                let field = site.written.as_ref().map(|written| self.fields.number(written, sites));
                self.of_sites.extend(field.map(|field| (site.id, field)));
            }
            *all += u64::from(count);
        }
        self.apart.iter_mut().zip(scan.apart).for_each(|(all, count)| *all += count);
    }

    /// Notes a stream on which something is printed.
    fn stream(&mut self, object: u32, what: u32) {
        let name = self.summary.streams.entry(object).or_default();
        for (flag, of) in [(ON_OUT, "System.out"), (ON_ERR, "System.err")] {
            if what & flag != 0 && name.is_empty() {
                of.clone_into(name);
            }
        }
    }

    /// A write before `super(…)` with the number of its field; `None` if its site names none.
    fn preset(&mut self, sites: &Sites, node: u32, PresetAt { site, turn, at }: PresetAt) -> Option<Preset> {
        let written = sites.site(site)?.written.as_ref()?;
        let field = self.fields.number(written, sites);
        Some(Preset { node, field, turn: turn.unwrap_or(self.now.turn), place: (self.chunk, at) })
    }

    fn write_preset(&mut self, this: u32, preset: &Preset) -> Result<(), TraceError> {
        let ([high, low], (chunk, at)) = (halves(preset.turn), preset.place);
        self.presets.push([this, preset.field, high, low, chunk, at])
    }

    /// Does a step for the earlier calls, when the next call has this number.
    fn step(&mut self, sites: &Sites, step: OuterStep, base: u32, next: u32) -> Result<(), TraceError> {
        match step {
            OuterStep::Leave { method, at, how } => {
                let place = (self.chunk, at);
                if let Some(call) = self.now.open.leave_innermost(method) {
                    return self.close(&call, place, how, next);
                }
                let Some(left) = self.now.open.leave(method) else {
                    self.strays += 1;
                    return Ok(());
                };
                for call in left.unseen {
                    self.close(&call, (0, 0), Exit::Unrecorded, next)?;
                }
                self.close(&left.call, place, how, next)
            }
            OuterStep::Catch { method } => {
                for call in self.now.open.return_to(method) {
                    self.close(&call, (0, 0), Exit::Unrecorded, next)?;
                }
                Ok(())
            }
            OuterStep::Born { this } => {
                let Some(call) = self.now.open.innermost().copied() else { return Ok(()) };
                if call.born != NONE {
                    self.born.end(call.born, [this])?;
                }
                while let Some(preset) = self.now.waiting.pop_if(|preset| preset.node == call.node) {
                    self.write_preset(this, &preset)?;
                }
                Ok(())
            }
            OuterStep::Preset(preset) => {
                if let Some(node) = self.now.open.innermost().map(|call| call.node) {
                    let preset = self.preset(sites, node, preset);
                    self.now.waiting.extend(preset);
                }
                Ok(())
            }
            OuterStep::Start { thread, inside } => {
                let inside = inside.map(|call| base + call);
                let node = inside.or_else(|| self.now.open.innermost().map(|call| call.node));
                let node = self.thread.zip(node);
                self.starts.entry(thread).or_insert(node);
                Ok(())
            }
            OuterStep::End { turn, exception } => {
                // A thread that calls `System.exit` never leaves its calls.
                if self.now.open.innermost().is_none() {
                    if let Some(ends) = self.apart.get_mut(super::chunk_scan::COUNT_OF_ENDS) {
                        *ends += 1;
                    }
                    let turn = turn.unwrap_or(self.now.turn);
                    let end = ThreadEnd { turn, exception };
                    self.summary.ends.extend(self.thread.map(|thread| (thread, end)));
                }
                Ok(())
            }
        }
    }

    fn close(
        &mut self,
        call: &OpenCall,
        (chunk, at): ChunkOffset,
        how: Exit,
        next: u32,
    ) -> Result<(), TraceError> {
        // The object was never created, so drop the writes to it.
        while self.now.waiting.pop_if(|preset| preset.node >= call.node).is_some() {}
        self.calls.end(call.node, [next - call.node, chunk, at, how.number()])
    }

    /// Closes the remaining calls of all threads, and completes the summary and the tables. `sites` names the
    /// fields; `None` if it names one otherwise than the sites did with which it was found.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn finish(mut self, sites: &Sites) -> Result<Option<StitchedTables>, TraceError> {
        if !self.is_named_by(sites) {
            return Ok(None);
        }
        let threads: Vec<u32> = self.others.keys().copied().chain(self.thread).collect();
        let mut places = BTreeMap::new();
        for thread in threads {
            self.choose(thread);
            for call in std::mem::take(&mut self.now.open).all() {
                self.close(&call, (0, 0), Exit::Open, self.now.next)?;
            }
            places.insert(thread, self.now.next);
        }
        let mut first: u32 = 0;
        for (thread, place) in &mut places {
            let count = std::mem::replace(place, first);
            self.summary.threads.push((*thread, first, count));
            first = first.checked_add(count).ok_or(TraceError::TooManyCalls)?;
        }
        self.sum_up(sites, &places);
        let Stitcher { summary, calls, born, methods, presets, objects, .. } = self;
        presets.finish()?;
        calls.finish(&places, |[method, parent, at], place| [method, moved(parent, place), at])?;
        Ok(Some(StitchedTables { summary, places, born, methods, objects }))
    }

    /// Whether these sites name each written field as before. A class can become ambiguous when another
    /// loader defines it too.
    fn is_named_by(&self, sites: &Sites) -> bool {
        self.of_sites.iter().all(|(site, field)| {
            let written = sites.site(*site).and_then(|site| site.written.as_ref());
            let field = usize::try_from(*field).ok().and_then(|field| self.fields.names.get(field));
            let named = written.map(|written| (sites.declares(written), &written.name));
            named == field.map(|(class, name)| (class.clone(), name))
        })
    }

    fn sum_up(&mut self, sites: &Sites, places: &BTreeMap<u32, u32>) {
        if self.strays > 0 {
            self.summary.missing.push(format!("{} calls ended without a recorded beginning", self.strays));
        }
        let mut events = self.apart.get(..Traced::WORDS.len()).map_or_else(Vec::new, <[u64]>::to_vec);
        for (site, count) in sites.all().filter_map(|site| {
            let place = site.id.checked_sub(FIRST_SITE).and_then(|place| usize::try_from(place).ok())?;
            Some((site, *self.counts.get(place)?))
        }) {
            events.get_mut(site.what.nth()).into_iter().for_each(|all| *all += count);
            let lines = u64::try_from(site.lines.len()).unwrap_or(0) * count;
            events.get_mut(Traced::Line(0).nth()).into_iter().for_each(|all| *all += lines);
        }
        events.extend(self.apart.iter().skip(Traced::WORDS.len()));
        let words = Traced::WORDS.into_iter().chain(APART_WORDS);
        let counted = words.zip(events).filter(|(_, count)| *count > 0);
        self.summary.events = counted.map(|(word, count)| (word.to_owned(), count)).collect();
        self.summary.fields = std::mem::take(&mut self.fields.names);
        let place = |thread| places.get(&thread).copied().unwrap_or(0);
        let starts = std::mem::take(&mut self.starts).into_iter();
        let starts = starts.map(|(object, at)| (object, at.map(|(thread, node)| moved(node, place(thread)))));
        self.summary.starts = starts.collect();
    }
}

/// The number of a call among those of all threads, if its thread's first call has the number `place`.
pub fn moved(node: u32, place: u32) -> u32 {
    if node == NONE { NONE } else { node.saturating_add(place) }
}

/// The tables that are still open.
pub struct StitchedTables {
    pub summary: Summary,
    /// The numbers of the threads' first calls.
    pub places: BTreeMap<u32, u32>,
    pub born: ThreadTable<1, 1>,
    pub methods: Arc<Mutex<PostingLists>>,
    pub objects: ObjectTable,
}
