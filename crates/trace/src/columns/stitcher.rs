//! Joins what was found in single chunks: numbers the calls of a thread, and does what a chunk left to who
//! knows the calls that were open before.

use super::call_table::CallTableWriter;
use super::chunk_scan::{APART_WORDS, ChunkScan, OUTER, OuterStep, PresetAt, ScannedCall};
use super::fields::Fields;
use super::met_objects::ObjectTable;
use super::open::OpenCalls;
use super::posting_lists::PostingLists;
use super::table::halves;
use super::writer::{BatchObserver, TableWriter};
use super::{BORN, CALLS, NONE, PRESETS, Summary, ThreadEnd};
use crate::TraceError;
use crate::event_time::ChunkOffset;
use crate::exit::Exit;
use crate::sites::Sites;
use std::collections::HashMap;
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

/// Joins the chunks of a recording, thread by thread.
pub struct Stitcher<'a> {
    sites: &'a Sites,
    pub summary: Summary,
    /// At the start of a call, its method, caller and entry are known; at the end, its size, end position and
    /// outcome.
    pub calls: CallTableWriter<3, 4>,
    pub born: CallTableWriter<1, 1>,
    /// The calls of each method; the thread that writes the table of calls fills it.
    pub methods: Arc<Mutex<PostingLists>>,
    presets: TableWriter<6>,
    pub objects: ObjectTable,
    fields: Fields,
    /// Number of events of each site, and of those without a site.
    counts: Vec<u64>,
    apart: [u64; super::chunk_scan::APART],
    open: OpenCalls<OpenCall>,
    /// Writes before `super(…)` of the open calls; those of the innermost call are last.
    waiting: Vec<Preset>,
    next: u32,
    turn: u64,
    strays: u64,
    chunk: u32,
    thread: u32,
}

impl<'a> Stitcher<'a> {
    /// Creates the tables in a folder. Rows take at most `memory` bytes of memory.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn new(sites: &'a Sites, to: &Path, memory: usize) -> Result<Stitcher<'a>, TraceError> {
        let eighth = memory / 8;
        let methods = Arc::new(Mutex::new(PostingLists::new(to, 4 * eighth)));
        let (by_method, mut first) = (methods.clone(), 0);
        let of_calls: BatchObserver = Box::new(move |columns| {
            let of_each = columns.first().map_or(&[][..], Vec::as_slice);
            by_method.lock().unwrap_or_else(PoisonError::into_inner).push(first, of_each)?;
            first += u32::try_from(of_each.len()).unwrap_or(0);
            Ok(())
        });
        Ok(Stitcher {
            sites,
            summary: Summary { format: super::FORMAT, ..Summary::default() },
            calls: CallTableWriter::create(&to.join("calls.arrow"), CALLS, eighth, of_calls)?,
            born: CallTableWriter::create(&to.join("born.arrow"), BORN, eighth, Box::new(|_| Ok(())))?,
            methods,
            presets: TableWriter::create(&to.join("presets.arrow"), PRESETS)?,
            objects: ObjectTable::new(to, 2 * eighth)?,
            fields: Fields::default(),
            counts: vec![0; sites.numbers()],
            apart: [0; super::chunk_scan::APART],
            open: OpenCalls::default(),
            waiting: Vec::new(),
            next: 0,
            turn: 0,
            strays: 0,
            chunk: 0,
            thread: 0,
        })
    }

    /// Begins a thread, and returns the number of its first call.
    pub fn begin(&mut self, thread: u32) -> u32 {
        self.thread = thread;
        self.open = OpenCalls::default();
        self.waiting.clear();
        self.turn = 0;
        self.next
    }

    /// The state at the start of a chunk, as a row of its table.
    pub fn row(&self) -> [u32; 5] {
        let [high, low] = halves(self.turn);
        [high, low, self.next, self.open.innermost().map_or(NONE, |call| call.node), 1]
    }

    /// The methods of the open calls, the outermost first.
    pub fn open_methods(&self) -> Vec<u32> {
        self.open.methods().collect()
    }

    /// Adds the next chunk of the thread.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn add(&mut self, chunk: u32, scan: &mut ChunkScan) -> Result<(), TraceError> {
        self.chunk = chunk;
        self.count(scan);
        self.objects.add(&mut scan.objects)?;
        scan.streams.drain(..).for_each(|(object, what)| self.stream(object, what));
        let base = self.next;
        let entered = u32::try_from(scan.calls.len()).map_err(|_| TraceError::TooManyCalls)?;
        let end = base.checked_add(entered).ok_or(TraceError::TooManyCalls)?;
        for (this, preset) in scan.presets.drain(..) {
            if let Some(preset) = self.preset(NONE, preset) {
                self.write_preset(this, &preset)?;
            }
        }
        // The innermost earlier call that is open after each number of steps.
        let mut outer = vec![self.innermost()];
        for (entered, step) in scan.steps.drain(..) {
            self.step(step, base, base.saturating_add(entered))?;
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
            let row = self.born.begin([base + call])?;
            if object != 0 {
                self.born.end(row, [object])?;
            }
            while open.next_if(|of| *of < call).is_some() {}
            if open.next_if_eq(&call).is_some() {
                rows.insert(call, row);
            }
        }
        for call in scan.open.drain(..) {
            let method = usize::try_from(call).ok().and_then(|call| scan.calls.get(call));
            let born = rows.get(&call).copied().unwrap_or(NONE);
            self.open.enter(method.map_or(NONE, |call| call.method), OpenCall { node: base + call, born });
        }
        for (call, preset) in scan.waiting.drain(..) {
            let preset = self.preset(base + call, preset);
            self.waiting.extend(preset);
        }
        self.next = end;
        self.turn = scan.turn.unwrap_or(self.turn);
        self.strays += scan.strays;
        Ok(())
    }

    fn innermost(&self) -> u32 {
        self.open.innermost().map_or(NONE, |call| call.node)
    }

    fn count(&mut self, scan: &mut ChunkScan) {
        for (site, count) in scan.sites.drain(..) {
            let place = site.checked_sub(FIRST_SITE).and_then(|place| usize::try_from(place).ok());
            let Some(all) = place.and_then(|place| self.counts.get_mut(place)) else { continue };
            if *all == 0
                && let Some(site) = self.sites.site(site)
                && matches!(site.what, Traced::Put | Traced::PutStatic | Traced::Preset)
            {
                site.written.as_ref().map(|written| self.fields.number(written, self.sites));
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
    fn preset(&mut self, node: u32, PresetAt { site, turn, at }: PresetAt) -> Option<Preset> {
        let written = self.sites.site(site)?.written.as_ref()?;
        let field = self.fields.number(written, self.sites);
        Some(Preset { node, field, turn: turn.unwrap_or(self.turn), place: (self.chunk, at) })
    }

    fn write_preset(&mut self, this: u32, preset: &Preset) -> Result<(), TraceError> {
        let ([high, low], (chunk, at)) = (halves(preset.turn), preset.place);
        self.presets.push([this, preset.field, high, low, chunk, at])
    }

    /// Does a step for the earlier calls, when the next call has this number.
    fn step(&mut self, step: OuterStep, base: u32, next: u32) -> Result<(), TraceError> {
        match step {
            OuterStep::Leave { method, at, how } => {
                let place = (self.chunk, at);
                if let Some(call) = self.open.leave_innermost(method) {
                    return self.close(&call, place, how, next);
                }
                let Some(left) = self.open.leave(method) else {
                    self.strays += 1;
                    return Ok(());
                };
                for call in left.unseen {
                    self.close(&call, (0, 0), Exit::Unrecorded, next)?;
                }
                self.close(&left.call, place, how, next)
            }
            OuterStep::Catch { method } => {
                for call in self.open.return_to(method) {
                    self.close(&call, (0, 0), Exit::Unrecorded, next)?;
                }
                Ok(())
            }
            OuterStep::Born { this } => {
                let Some(call) = self.open.innermost().copied() else { return Ok(()) };
                if call.born != NONE {
                    self.born.end(call.born, [this])?;
                }
                while let Some(preset) = self.waiting.pop_if(|preset| preset.node == call.node) {
                    self.write_preset(this, &preset)?;
                }
                Ok(())
            }
            OuterStep::Preset(preset) => {
                if let Some(node) = self.open.innermost().map(|call| call.node) {
                    let preset = self.preset(node, preset);
                    self.waiting.extend(preset);
                }
                Ok(())
            }
            OuterStep::Start { thread, inside } => {
                let inside = inside.map(|call| base + call);
                let node = inside.or_else(|| self.open.innermost().map(|call| call.node));
                self.summary.starts.entry(thread).or_insert(node);
                Ok(())
            }
            OuterStep::End { turn, exception } => {
                // A thread that calls `System.exit` never leaves its calls.
                if self.open.innermost().is_none() {
                    if let Some(ends) = self.apart.get_mut(super::chunk_scan::COUNT_OF_ENDS) {
                        *ends += 1;
                    }
                    let turn = turn.unwrap_or(self.turn);
                    self.summary.ends.insert(self.thread, ThreadEnd { turn, exception });
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
        while self.waiting.pop_if(|preset| preset.node >= call.node).is_some() {}
        self.calls.end(call.node, [next - call.node, chunk, at, how.number()])
    }

    /// Closes the thread's remaining calls and returns the number of its calls.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn end(&mut self, first: u32) -> Result<u32, TraceError> {
        for call in std::mem::take(&mut self.open).all() {
            self.close(&call, (0, 0), Exit::Open, self.next)?;
        }
        Ok(self.next - first)
    }

    /// Completes the summary and the table of writes before `super(…)`.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn finish(self) -> Result<StitchedTables, TraceError> {
        let Stitcher { sites, mut summary, calls, born, methods, presets, objects, fields, .. } = self;
        presets.finish()?;
        if self.strays > 0 {
            summary.missing.push(format!("{} calls ended without a recorded beginning", self.strays));
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
        summary.events = counted.map(|(word, count)| (word.to_owned(), count)).collect();
        summary.fields = fields.names;
        Ok(StitchedTables { summary, calls, born, methods, objects })
    }
}

/// The tables that are still open.
pub struct StitchedTables {
    pub summary: Summary,
    pub calls: CallTableWriter<3, 4>,
    pub born: CallTableWriter<1, 1>,
    pub methods: Arc<Mutex<PostingLists>>,
    pub objects: ObjectTable,
}
