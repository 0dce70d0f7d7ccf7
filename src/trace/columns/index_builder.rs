//! Builds the tables in one pass over all events. Rows are sorted externally, so memory stays within the
//! given limit for a recording of any size.

use super::call_table::CallTableWriter;
use super::external_sort::{Sorted, Sorter};
use super::open::OpenCalls;
use super::posting_lists::PostingLists;
use super::table::Layout;
use super::writer::{BatchObserver, GroupsWriter, TableWriter};
use super::{
    BORN, BY_METHOD, CALLS, CHUNKS, Columns, FORMAT, METHODS, NONE, OBJECTS, Summary, ThreadEnd, WRITES,
};
use crate::files;
use crate::trace::TraceError;
use crate::trace::decode::{Decoder, Event, ObjectDetail, ObjectObserver, Value};
use crate::trace::event_time::ChunkOffset;
use crate::trace::exit::Exit;
use crate::trace::parts::{CONTENTS, CREATION, TEXT as TEXT_PART};
use crate::trace::sites::{Site, Sites};
use crate::trace::source::Source;
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use wire::recording::{Level, ON_ERR, ON_OUT, TextEffect, Traced, WrittenVariable};

/// Object kind: no details are known.
pub const PLAIN: u32 = 0;
/// Object kind: an array; its bits are the length.
pub const ARRAY: u32 = 1;
/// Object kind: a string; its bits are the length, its text the beginning.
pub const TEXT: u32 = 2;
/// Object kind: a box of a primitive value; its bits are the value.
pub const BOX: u32 = 3;
/// Object kind: an enum constant; its text is the name.
pub const CONSTANT: u32 = 4;
/// Object kind: an enum constant with a class body of its own.
pub const CONSTANT_WITH_BODY: u32 = 5;
/// Object kind: an exception; its bits are the message's length, its text the beginning.
pub const EXCEPTION: u32 = 6;
/// Object kind: a class, which has a name.
pub const CLASS: u32 = 7;
/// Object kind: an immutable JDK object; its text holds the encoded field values.
pub const FIELDS: u32 = 8;
/// The bits of an exception without a message.
pub const NO_MESSAGE: u64 = u64::MAX;

/// Number of chunks that are decompressed in advance.
const AHEAD: usize = 2;

/// How to build the tables.
pub struct IndexOptions<'a> {
    /// The existing, empty folder of the tables.
    pub to: &'a Path,
    /// Memory for table rows, in bytes.
    pub memory: usize,
    /// Called with the number of finished chunks and of all chunks; returns false to interrupt.
    pub goes_on: &'a mut dyn FnMut(usize, usize) -> bool,
}

/// Builds the tables.
///
/// # Errors
/// Events cannot be read or a table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
/// false.
pub fn build_index(
    source: &mut Source,
    sites: &Sites,
    arranging: IndexOptions<'_>,
) -> Result<Columns, TraceError> {
    let IndexOptions { to, memory, goes_on } = arranging;
    let mut pass = Pass::new(sites, to, memory)?;
    let mut by_thread: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, chunk) in (0..).zip(&source.chunks) {
        by_thread.entry(chunk.thread).or_default().push(number);
    }
    let all = source.chunks.clone();
    let mut chunks = vec![[0; 5]; all.len()];
    let order: Vec<u32> = by_thread.values().flatten().copied().collect();
    let mut done = 0;
    std::thread::scope(|scope| {
        // A second thread decompresses the next chunks while this one decodes.
        let (send, ready) = std::sync::mpsc::sync_channel(AHEAD);
        let (back, used) = std::sync::mpsc::sync_channel(AHEAD);
        let packed = &mut *source;
        let unpacks = move || {
            // Ends when the receiver is gone.
            let mut read =
                order.into_iter().map(|number| packed.read_into(number, used.try_recv().unwrap_or_default()));
            let _ = read.try_for_each(|read| send.send(read));
        };
        std::thread::Builder::new().spawn_scoped(scope, unpacks).map_err(TraceError::at(to))?;
        for (thread, numbers) in by_thread {
            let first = pass.begin(thread);
            let mut expected = Some(0);
            for number in numbers {
                done += 1;
                if !goes_on(done, all.len()) {
                    return Err(TraceError::Interrupted);
                }
                let place = usize::try_from(number).unwrap_or(usize::MAX);
                let (Some(chunk), Ok(read), Some(from)) = (all.get(place), ready.recv(), expected) else {
                    continue;
                };
                let Some(events) = read?.filter(|_| chunk.at == from) else {
                    let name = sites.threads.get(&thread).map_or("?", |(name, _)| name.as_str());
                    let what = format!("events of thread {name} are missing from byte {from}");
                    pass.summary.missing.push(what);
                    expected = None;
                    continue;
                };
                expected = Some(chunk.at + u64::from(chunk.length));
                pass.summary.bytes += u64::from(chunk.length);
                if let Some(row) = chunks.get_mut(place) {
                    *row = pass.row();
                }
                pass.chunk(number, &events).map_err(|error| error.in_thread(thread, chunk.at))?;
                // Return the buffer for a later chunk.
                drop(back.try_send(events));
            }
            let count = pass.end(first)?;
            pass.summary.threads.push((thread, first, count));
        }
        Ok(())
    })?;
    pass.finish(chunks, source)?;
    Columns::open(to)
}

/// Why a chunk cannot be processed.
enum ChunkError {
    Events(usize, &'static str),
    Trace(TraceError),
}

impl ChunkError {
    fn in_thread(self, thread: u32, at: u64) -> TraceError {
        match self {
            ChunkError::Events(place, what) => {
                TraceError::Broken { thread, at: at + u64::try_from(place).unwrap_or(0), what }
            }
            ChunkError::Trace(error) => error,
        }
    }
}

impl From<TraceError> for ChunkError {
    fn from(error: TraceError) -> ChunkError {
        ChunkError::Trace(error)
    }
}

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

struct Pass<'a> {
    sites: &'a Sites,
    to: &'a Path,
    summary: Summary,
    /// By method number: whether it is a constructor.
    constructors: Vec<bool>,
    /// At the start of a call, its method, caller and entry are known; at the end, its size, end position and
    /// outcome.
    calls: CallTableWriter<3, 4>,
    born: CallTableWriter<1, 1>,
    /// The calls of each method; the thread that writes the table of calls fills it.
    methods: Arc<Mutex<PostingLists>>,
    writes: Sorter<7>,
    objects: ObjectsMet,
    fields: Fields,
    /// Number of events of each kind.
    counts: [u64; Traced::WORDS.len()],
    open: OpenCalls<OpenCall>,
    /// Writes before `super(…)` of the open calls; those of the innermost call are last.
    presets: Vec<Preset>,
    next: u32,
    turn: u64,
    strays: u64,
    /// Writes of the current chunk and turn, by object and part: first position and count.
    written: HashMap<(u32, u32), (u32, u32), FixedState>,
    chunk: u32,
    thread: u32,
}

impl<'a> Pass<'a> {
    fn new(sites: &'a Sites, to: &'a Path, memory: usize) -> Result<Pass<'a>, TraceError> {
        let eighth = memory / 8;
        let methods = Arc::new(Mutex::new(PostingLists::new(to, 2 * eighth)));
        let (by_method, mut first) = (methods.clone(), 0);
        let of_calls: BatchObserver = Box::new(move |columns| {
            let of_each = columns.first().map_or(&[][..], Vec::as_slice);
            by_method.lock().unwrap_or_else(PoisonError::into_inner).push(first, of_each)?;
            first += u32::try_from(of_each.len()).unwrap_or(0);
            Ok(())
        });
        Ok(Pass {
            sites,
            to,
            summary: Summary { missing: Vec::new(), format: FORMAT, ..Summary::default() },
            constructors: sites.methods().iter().map(|method| method.name == "<init>").collect(),
            calls: CallTableWriter::create(&to.join("calls.arrow"), CALLS, eighth / 4 * 3, of_calls)?,
            born: CallTableWriter::create(&to.join("born.arrow"), BORN, eighth / 4, Box::new(|_| Ok(())))?,
            methods,
            writes: Sorter::new(to, 3 * eighth),
            objects: ObjectsMet::new(to, eighth)?,
            fields: Fields::default(),
            counts: [0; Traced::WORDS.len()],
            open: OpenCalls::default(),
            presets: Vec::new(),
            next: 0,
            turn: 0,
            strays: 0,
            written: HashMap::default(),
            chunk: 0,
            thread: 0,
        })
    }

    fn begin(&mut self, thread: u32) -> u32 {
        self.thread = thread;
        self.open = OpenCalls::default();
        self.presets.clear();
        self.turn = 0;
        self.next
    }

    /// The state at the start of a chunk, as a row of its table.
    fn row(&self) -> [u32; 5] {
        let [high, low] = halves(self.turn);
        [high, low, self.next, self.open.innermost().map_or(NONE, |call| call.node), 1]
    }

    fn chunk(&mut self, number: u32, events: &[u8]) -> Result<(), ChunkError> {
        self.chunk = number;
        let mut values = Vec::new();
        let mut decoder = Decoder::of_writes(self.sites, events);
        loop {
            let place = decoder.at();
            let event = decoder.next(&mut values, Some(&mut self.objects));
            match event.map_err(|what| ChunkError::Events(place, what))? {
                None => break,
                Some(Event::Turn(turn)) => {
                    self.count("turn");
                    self.flush()?;
                    self.turn = turn;
                }
                // A thread that calls `System.exit` never leaves its calls.
                Some(Event::End(_)) if self.open.innermost().is_some() => {}
                Some(Event::End(exception)) => {
                    self.count("end");
                    self.summary.ends.insert(self.thread, ThreadEnd { turn: self.turn, exception });
                }
                Some(Event::Around(site)) => {
                    self.count("around");
                    let at = u32::try_from(place).unwrap_or(u32::MAX);
                    self.enter(site, at)?;
                }
                Some(Event::At(site)) => {
                    let at = u32::try_from(place).unwrap_or(u32::MAX);
                    self.take(site, &values, at)?;
                }
            }
        }
        self.flush()?;
        self.objects.failed.take().map_or(Ok(()), |error| Err(error.into()))
    }

    /// Counts an event that belongs to no site.
    fn count(&mut self, word: &str) {
        *self.summary.events.entry(word.to_owned()).or_default() += 1;
    }

    fn take(&mut self, site: &Site, values: &[Value], at: u32) -> Result<(), TraceError> {
        if let Some(count) = self.counts.get_mut(site.what.nth()) {
            *count += 1;
        }
        let place = (self.chunk, at);
        match site.what {
            Traced::Enter => self.enter(site, at)?,
            Traced::Born => {
                if let Some(Value::Object(this)) = values.first()
                    && self.sites.method(site.method).is_some_and(|method| method.level >= Level::Writes)
                {
                    self.write(*this, CREATION, at);
                }
                if let (Some(call), Some(Value::Object(this))) =
                    (self.open.innermost().copied(), values.first())
                {
                    self.born(call, *this)?;
                }
            }
            Traced::Return => self.leave(site.method, place, Exit::Returned)?,
            Traced::Leave => self.leave(site.method, place, Exit::Threw)?,
            Traced::Catch => {
                // A constructor cannot record that the constructor of its superclass threw the exception.
                for call in self.open.return_to(site.method) {
                    self.close(&call, (0, 0), Exit::Unrecorded)?;
                }
            }
            Traced::Put => {
                if let (Some(Value::Object(object)), Some(field)) = (values.first(), self.field(site)) {
                    self.write(*object, field, at);
                }
            }
            Traced::PutStatic => {
                if let Some(field) = self.field(site) {
                    self.write(0, field, at);
                }
            }
            Traced::Preset => {
                let field = self.field(site);
                if let (Some(OpenCall { node, .. }), Some(field)) = (self.open.innermost().copied(), field) {
                    self.presets.push(Preset { node, field, turn: self.turn, place });
                }
            }
            Traced::Element(_) => {
                if let (Some(Value::Object(array)), Some(Value::Int(index))) = (values.first(), values.get(1))
                {
                    self.write(*array, index.cast_unsigned(), at);
                }
            }
            Traced::Array => {
                if let Some(Value::Object(array)) = values.first() {
                    self.write(*array, CREATION, at);
                }
            }
            Traced::Contents => {
                if let Some(Value::Object(collection)) = values.first() {
                    self.write(*collection, CONTENTS, at);
                }
            }
            Traced::Text => {
                if let [Value::Object(object), Value::Int(what), ..] = values {
                    self.write(*object, TEXT_PART, at);
                    self.stream(*object, what.cast_unsigned());
                }
            }
            Traced::Start => {
                if let Some(Value::Object(thread)) = values.first() {
                    let node = self.open.innermost().map(|call| call.node);
                    self.summary.starts.entry(*thread).or_insert(node);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Notes a stream on which something is printed.
    fn stream(&mut self, object: u32, what: u32) {
        if TextEffect::of(what & 0xff) == Some(TextEffect::Print) {
            let name = self.summary.streams.entry(object).or_default();
            for (flag, of) in [(ON_OUT, "System.out"), (ON_ERR, "System.err")] {
                if what & flag != 0 && name.is_empty() {
                    of.clone_into(name);
                }
            }
        }
    }

    /// Opens a call.
    fn enter(&mut self, site: &Site, at: u32) -> Result<(), TraceError> {
        let parent = self.open.innermost().map_or(NONE, |call| call.node);
        let method = site.method;
        let node = self.calls.begin([method, parent, at])?;
        self.next = node + 1;
        let of_method = usize::try_from(method).ok().and_then(|method| self.constructors.get(method));
        let born = if of_method == Some(&true) { self.born.begin([node])? } else { NONE };
        self.open.enter(method, OpenCall { node, born });
        Ok(())
    }

    /// Stores the object that a constructor call creates.
    fn born(&mut self, call: OpenCall, this: u32) -> Result<(), TraceError> {
        if call.born != NONE {
            self.born.end(call.born, [this])?;
        }
        while let Some(preset) = self.presets.pop_if(|preset| preset.node == call.node) {
            let ([high, low], (chunk, at)) = (halves(preset.turn), preset.place);
            self.writes.push([this, preset.field, high, low, chunk, at, 1])?;
        }
        Ok(())
    }

    fn field(&mut self, site: &Site) -> Option<u32> {
        site.written.as_ref().map(|written| self.fields.number(written, self.sites))
    }

    fn write(&mut self, object: u32, part: u32, at: u32) {
        let (_, count) = self.written.entry((object, part)).or_insert((at, 0));
        *count += 1;
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        let [high, low] = halves(self.turn);
        for ((object, part), (at, count)) in self.written.drain() {
            self.writes.push([object, part, high, low, self.chunk, at, count])?;
        }
        Ok(())
    }

    /// Closes a call of a method.
    fn leave(&mut self, method: u32, place: ChunkOffset, how: Exit) -> Result<(), TraceError> {
        if let Some(call) = self.open.leave_innermost(method) {
            return self.close(&call, place, how);
        }
        let Some(left) = self.open.leave(method) else {
            self.strays += 1;
            return Ok(());
        };
        for call in left.unseen {
            self.close(&call, (0, 0), Exit::Unrecorded)?;
        }
        self.close(&left.call, place, how)
    }

    fn close(&mut self, call: &OpenCall, exit: ChunkOffset, how: Exit) -> Result<(), TraceError> {
        // The object was never created, so drop the writes to it.
        while self.presets.pop_if(|preset| preset.node >= call.node).is_some() {}
        let size = self.next - call.node;
        let (chunk, at) = exit;
        self.calls.end(call.node, [size, chunk, at, how.number()])
    }

    /// Closes the thread's remaining calls and returns the number of its calls.
    fn end(&mut self, first: u32) -> Result<u32, TraceError> {
        for call in std::mem::take(&mut self.open).all() {
            self.close(&call, (0, 0), Exit::Open)?;
        }
        Ok(self.next - first)
    }

    fn finish(mut self, chunks: Vec<[u32; 5]>, source: &Source) -> Result<(), TraceError> {
        self.summary.missing.splice(0..0, source.missing.iter().cloned());
        if self.strays > 0 {
            let what = format!("{} calls ended without a recorded beginning", self.strays);
            self.summary.missing.push(what);
        }
        self.summary.of = source.stamp;
        let counts = Traced::WORDS.into_iter().zip(self.counts).filter(|(_, count)| *count > 0);
        self.summary.events.extend(counts.map(|(word, count)| (word.to_owned(), count)));
        self.summary.fields = self.fields.names;
        self.summary.classes = self.objects.classes;
        let mut table = TableWriter::create(&self.to.join("chunks.arrow"), CHUNKS)?;
        chunks.into_iter().try_for_each(|row| table.push(row))?;
        table.finish()?;
        let (to, calls, born, methods) = (self.to, self.calls, self.born, self.methods);
        calls.finish()?;
        let early = || {
            TraceError::at(to)(std::io::Error::other(
                "the thread that writes the table of calls has not ended",
            ))
        };
        let methods = Arc::into_inner(methods).ok_or_else(early)?;
        let methods = methods.into_inner().unwrap_or_else(PoisonError::into_inner);
        std::thread::scope(|scope| {
            let other = std::thread::Builder::new().spawn_scoped(scope, || {
                let files = [("by_method", BY_METHOD), ("methods", METHODS)];
                let [all, of_each] = files.map(|(name, layout)| (to.join(format!("{name}.arrow")), layout));
                let mut table = GroupsWriter::create((&all.0, all.1), (&of_each.0, of_each.1))?;
                methods.each(|method, nodes| table.push(method, nodes))?;
                table.finish()
            });
            born.finish()?;
            write(self.writes.sorted()?, to, "writes", WRITES, |_, _| false)?;
            // Two threads may both report the same object as new.
            write(self.objects.sorter.sorted()?, to, "objects", OBJECTS, |one, next| {
                one.first() == next.first()
            })?;
            other.map_err(TraceError::at(to))?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        let texts = self.to.join("texts");
        self.objects.texts.flush().map_err(TraceError::at(&texts))?;
        // This file is written last: its presence means that all tables are complete.
        let file = self.to.join("summary.json");
        let text = serde_json::to_vec(&self.summary).map_err(|error| TraceError::at(&file)(error.into()))?;
        files::write(&file, text).map_err(TraceError::at(&file))
    }
}

/// Writes a table and drops rows that `same` equates with the previous row.
fn write<const N: usize>(
    mut rows: Sorted<N>,
    to: &Path,
    name: &str,
    layout: Layout,
    same: impl Fn(&[u32; N], &[u32; N]) -> bool,
) -> Result<(), TraceError> {
    let mut table = TableWriter::create(&to.join(format!("{name}.arrow")), layout)?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if !last.as_ref().is_some_and(|last| same(last, &row)) {
            table.push(row)?;
        }
        last = Some(row);
    }
    table.finish()
}

fn halves(number: u64) -> [u32; 2] {
    let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap_or(0);
    [half(number >> 32), half(number)]
}

/// Numbers the written fields.
#[derive(Default)]
struct Fields {
    names: Vec<(String, String)>,
    numbers: HashMap<(String, String), u32>,
    /// Cache by the address of a site's written field, which does not move.
    known: HashMap<*const WrittenVariable, u32, FixedState>,
}

impl Fields {
    fn number(&mut self, written: &Arc<WrittenVariable>, sites: &Sites) -> u32 {
        let Fields { names, numbers, known } = self;
        *known.entry(Arc::as_ptr(written)).or_insert_with(|| {
            let name = (sites.declares(written), written.name.clone());
            *numbers.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                u32::try_from(names.len() - 1).unwrap_or(NONE)
            })
        })
    }
}

/// Collects the objects that are met.
struct ObjectsMet {
    sorter: Sorter<8>,
    classes: BTreeMap<u32, String>,
    path: PathBuf,
    texts: BufWriter<File>,
    at: u64,
    failed: Option<TraceError>,
}

impl ObjectsMet {
    fn new(to: &Path, memory: usize) -> Result<ObjectsMet, TraceError> {
        let path = to.join("texts");
        let texts = files::create_new(&path).map_err(TraceError::at(&path))?;
        let sorter = Sorter::new(to, memory);
        let texts = BufWriter::new(texts);
        Ok(ObjectsMet { sorter, classes: BTreeMap::new(), path, texts, at: 0, failed: None })
    }

    fn met(&mut self, object: u32, class: u32, met: &ObjectDetail) -> Result<(), TraceError> {
        let none: &[u8] = &[];
        let (kind, bits, text) = match met {
            ObjectDetail::Plain => (PLAIN, 0, none),
            ObjectDetail::Array(length) => (ARRAY, u64::from(length.cast_unsigned()), none),
            ObjectDetail::Text(begins, length) => {
                (TEXT, u64::from(length.cast_unsigned()), begins.as_bytes())
            }
            ObjectDetail::Boxed(bits) => (BOX, bits.cast_unsigned(), none),
            ObjectDetail::Constant { name, has_body: false } => (CONSTANT, 0, name.as_bytes()),
            ObjectDetail::Constant { name, has_body: true } => (CONSTANT_WITH_BODY, 0, name.as_bytes()),
            ObjectDetail::Exception(None) => (EXCEPTION, NO_MESSAGE, none),
            ObjectDetail::Exception(Some((begins, length))) => {
                (EXCEPTION, u64::from(length.cast_unsigned()), begins.as_bytes())
            }
            ObjectDetail::Fields(values) => (FIELDS, 0, values.as_slice()),
            ObjectDetail::Class => (CLASS, 0, none),
        };
        self.texts.write_all(text).map_err(TraceError::at(&self.path))?;
        let ([high, low], [at_high, at_low]) = (halves(bits), halves(self.at));
        let length = u32::try_from(text.len()).unwrap_or(0);
        self.at += u64::from(length);
        self.sorter.push([object, kind, class, high, low, at_high, at_low, length])
    }
}

impl ObjectObserver for ObjectsMet {
    fn class(&mut self, number: u32, name: String) {
        self.classes.insert(number, name);
    }

    fn object(&mut self, object: u32, class: u32, met: ObjectDetail) {
        if let Err(error) = self.met(object, class, &met) {
            self.failed.get_or_insert(error);
        }
    }
}
