//! The call tree: one node per call, grouped by thread, in order of entry.

use super::columns::{Columns, IndexOptions, NONE, Stamp, Table, ThreadEnd, WritesInput, build_index};
use super::compression::BackgroundCompression;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::event_cache::{BYTES, EventCache, FEW_BYTES};
use super::event_time::ChunkOffset;
use super::exit::Exit;
use super::folder::{About, Folder};
use super::lambdas;
use super::objects::Objects;
use super::sites::{Method, Sites};
use super::source::Source;
use super::writes_table::{Interrupted, WritesTable, built_in, keep};
use files::TemporaryFolder;
use model::{LambdaCode, ThreadIdentity};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wire::scope::is_recorded;

/// A recorded run, opened for reading.
pub struct Calls {
    /// The meaning of site numbers.
    pub sites: Sites,
    /// The objects that were recorded.
    pub objects: Objects,
    /// Reasons why parts of the run are missing.
    pub missing: Vec<String>,
    /// Number of events of each kind.
    pub events: BTreeMap<String, u64>,
    /// Size of all events, in bytes.
    pub bytes: u64,
    table: Table,
    born: Table,
    chunks: Table,
    methods: Table,
    by_method: Table,
    presets: Table,
    written: Arc<WritesTable>,
    /// The written fields: declaring class and name.
    pub(super) fields: Vec<(String, String)>,
    pub(super) source: Source,
    /// How each thread ended, by thread number.
    pub ends: BTreeMap<u32, ThreadEnd>,
    /// The call that started each thread, by the number of the thread's object.
    starts: BTreeMap<u32, Option<u32>>,
    /// The streams on which something was printed, with the name of a standard stream or nothing.
    pub(super) streams: BTreeMap<u32, String>,
    /// The threads: number, first call, number of calls.
    threads: Vec<(u32, u32, u32)>,
    /// By thread: its first call, and the number of its calls.
    of_threads: Arc<HashMap<u32, (u32, u32)>>,
    /// The chunks of each thread that follow each other without a gap.
    rows: BTreeMap<u32, Vec<u32>>,
    /// Cache of the events that were read last.
    pub(super) recent: EventCache,
    /// The numbers by which calls are shown, where another recording defines them.
    numbers: CallNumbering,
    /// The patterns of the classes that were recorded, and of those that were not. `None` if only a part of
    /// the run was recorded.
    patterns: Option<(Vec<String>, Vec<String>)>,
    /// Tables that are not kept, because the recording still grows or its folder is read-only.
    _temporary: Option<TemporaryFolder>,
    /// Compresses what is not compressed yet.
    _packing: Option<BackgroundCompression>,
}

/// One call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its node number. Calls of a thread are numbered in the order of their entries.
    pub node: u32,
    /// The number of its method.
    pub method: u32,
    /// True when the entry was not recorded, so the arguments are unknown.
    pub is_around: bool,
    /// The receiver; 0 when unknown, `None` for a static method.
    pub this: Option<u32>,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// How it ended.
    pub exit: Exit,
    /// The returned value, or the exception that left the call.
    pub result: Option<Value>,
    /// Number of calls below it.
    pub below: u32,
}

/// Maps the calls of a partial recording to their numbers in the full one.
#[derive(Clone, Debug, Default)]
struct CallNumbering {
    /// The numbers of the first calls, which enclose the others.
    around: Vec<u32>,
    /// Offset that is added to the numbers of the calls that follow.
    offset: u32,
}

/// How to open a recorded run.
pub struct OpenOptions<'a> {
    /// Memory for table rows, in bytes, when tables must be built.
    pub memory: usize,
    /// Called with the number of finished chunks and of all chunks; returns false to interrupt.
    pub goes_on: &'a mut dyn FnMut(usize, usize) -> bool,
    /// Whether the user has interrupted. It is asked when a later question needs further tables.
    pub is_interrupted: Interrupted,
}

impl Calls {
    /// Opens what has been recorded so far. Builds missing tables, and keeps them once the recording has
    /// ended.
    ///
    /// # Errors
    /// A file cannot be read or has other contents; [`TraceError::Interrupted`] when `goes_on` returns false.
    pub fn open(folder: &Folder, about: &About, opening: OpenOptions<'_>) -> Result<Calls, TraceError> {
        let mut calls = Calls::opened(folder, about, opening)?;
        lambdas::name_lambdas(&mut calls.objects, &calls.sites);
        let is_whole = about.is_whole().is_ok() && !calls.source.has_dropped();
        calls.patterns = is_whole.then(|| (about.scope.clone(), about.trust.clone()));
        Ok(calls)
    }

    /// Whether all code of a class, given by its name with dots, is recorded from the beginning of the run.
    pub fn records(&self, class: &str) -> bool {
        let of = |(scope, trust): &(Vec<String>, Vec<String>)| is_recorded(scope, trust, class);
        self.patterns.as_ref().is_some_and(of)
    }

    fn opened(folder: &Folder, about: &About, opening: OpenOptions<'_>) -> Result<Calls, TraceError> {
        let (source, sites) = Source::open(folder, about)?;
        let OpenOptions { memory, goes_on, is_interrupted } = opening;
        let written = |is_kept| WritesTable::new(folder.clone(), is_kept, memory, is_interrupted);
        let known = folder.columns();
        // Goes on as long as this recording is open, or until all is compressed.
        let is_loose = about.recorded.is_some() && source.is_loose();
        let packing = is_loose.then(|| BackgroundCompression::begin(folder.events()));
        if let Some(columns) = Columns::kept(&known, &source.stamp) {
            return Ok(Calls { _packing: packing, ..Calls::of(source, sites, columns, None, written(true)) });
        }
        let (columns, place, is_beside) =
            built_in(folder, &mut |to| build_index(&source, &sites, IndexOptions { to, memory, goes_on }))?;
        let is_over = about.recorded.is_some() && source.missing.is_empty();
        let temporary = match is_over && is_beside && Columns::seal(place.path()).is_ok() {
            true => keep(place, &known),
            false => Some(place),
        };
        let written = written(temporary.is_none());
        Ok(Calls { _packing: packing, ..Calls::of(source, sites, columns, temporary, written) })
    }

    fn of(
        source: Source,
        sites: Sites,
        columns: Columns,
        temporary: Option<TemporaryFolder>,
        written: WritesTable,
    ) -> Calls {
        let Columns { summary, chunks, calls, born, methods, by_method, objects, presets, texts } = columns;
        let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, (row, chunk)) in (0..).zip(source.chunks.iter().enumerate()) {
            if chunks.word(3, row) == 1 {
                rows.entry(chunk.thread).or_default().push(number);
            }
        }
        let mut of_threads = HashMap::new();
        for (thread, first, count) in &summary.threads {
            of_threads.entry(*thread).or_insert((*first, *count));
        }
        Calls {
            sites,
            objects: Objects::new(objects, texts, summary.classes),
            missing: summary.missing,
            events: summary.events,
            bytes: summary.bytes,
            table: calls,
            born,
            chunks,
            methods,
            by_method,
            presets,
            written: Arc::new(written),
            fields: summary.fields,
            source,
            ends: summary.ends,
            starts: summary.starts,
            streams: summary.streams,
            threads: summary.threads,
            of_threads: Arc::new(of_threads),
            rows,
            recent: EventCache::of(BYTES),
            numbers: CallNumbering::default(),
            patterns: None,
            _packing: None,
            _temporary: temporary,
        }
    }

    /// The lambda classes met, by number, with the code each one calls. Bodies in recorded methods have a
    /// place.
    pub fn lambdas(&self) -> Vec<(u32, LambdaCode)> {
        lambdas::codes(&self.objects, &self.sites)
    }

    /// Shows calls by their numbers in another recording: the first calls by `around`, later ones by their
    /// own number plus `offset`.
    pub fn renumber(&mut self, around: Vec<u32>, offset: u32) {
        self.numbers = CallNumbering { around, offset };
    }

    /// The number by which a call is shown.
    pub fn shown(&self, node: u32) -> u32 {
        let around = usize::try_from(node).ok().and_then(|node| self.numbers.around.get(node));
        around.copied().unwrap_or_else(|| node.saturating_add(self.numbers.offset))
    }

    /// The node of the call with this shown number.
    pub fn own(&self, number: u32) -> u32 {
        let around = self.numbers.around.iter().position(|around| *around == number);
        let around = around.and_then(|node| u32::try_from(node).ok());
        around.or(number.checked_sub(self.numbers.offset)).unwrap_or(NONE)
    }

    /// The same recording, for another thread that goes through its events.
    pub fn again(&self) -> Calls {
        Calls {
            sites: self.sites.clone(),
            objects: self.objects.clone(),
            missing: self.missing.clone(),
            events: self.events.clone(),
            bytes: self.bytes,
            table: self.table.clone(),
            born: self.born.clone(),
            chunks: self.chunks.clone(),
            methods: self.methods.clone(),
            by_method: self.by_method.clone(),
            presets: self.presets.clone(),
            written: self.written.clone(),
            fields: self.fields.clone(),
            source: self.source.again(),
            ends: self.ends.clone(),
            starts: self.starts.clone(),
            streams: self.streams.clone(),
            threads: self.threads.clone(),
            of_threads: self.of_threads.clone(),
            rows: self.rows.clone(),
            recent: EventCache::of(FEW_BYTES),
            numbers: self.numbers.clone(),
            patterns: self.patterns.clone(),
            _packing: None,
            _temporary: None,
        }
    }

    /// The table of writes. The first call builds it, unless it is kept.
    ///
    /// # Errors
    /// The events cannot be read, the table cannot be written, or the user interrupts.
    pub(super) fn writes(&self) -> Result<&Table, TraceError> {
        let Calls { source, sites, chunks, presets, fields, .. } = self;
        self.written.get(&WritesInput { source, sites, chunks, presets, fields })
    }

    /// Builds the table of writes, unless it is known. After that, questions about writes do not fail for
    /// want of it.
    ///
    /// # Errors
    /// As for a question about writes.
    pub fn prepare_writes(&self) -> Result<(), TraceError> {
        self.writes().map(|_| ())
    }

    /// The table of writes, if [`Calls::writes`] was called before.
    pub(super) fn known_writes(&self) -> Option<&Table> {
        self.written.known()
    }

    /// Identifies the state of the recording.
    pub fn stamp(&self) -> Stamp {
        self.source.stamp
    }

    /// Number of calls.
    pub fn count(&self) -> usize {
        self.table.len()
    }

    /// The threads: number, label, number of calls. The label of a thread with a name of its own is the name.
    pub fn threads(&self) -> Vec<(u32, String, u32)> {
        self.threads.iter().map(|(thread, _, count)| (*thread, self.thread_label(*thread), *count)).collect()
    }

    fn thread_label(&self, thread: u32) -> String {
        self.sites.threads.get(&thread).map(|(label, _)| label.clone()).unwrap_or_default()
    }

    /// A thread as the VM knows it. Other runs have no other thread with its label only if they have no other
    /// one with its name.
    pub fn identity(&self, thread: u32) -> ThreadIdentity {
        self.sites.identities.get(&thread).cloned().unwrap_or_default()
    }

    /// Whether a user who names a thread means this one: by its name, or by its name and number.
    pub fn is_named(&self, thread: u32, written: &str) -> bool {
        let identity = self.identity(thread);
        wire::names_thread(written, &identity.name, identity.number)
    }

    /// The shown number of the call that started a thread; `None` if that was not recorded.
    pub fn started_in(&self, thread: u32) -> Option<u32> {
        let (_, object) = self.sites.threads.get(&thread)?;
        self.starts.get(object).copied().flatten().map(|node| self.shown(node))
    }

    /// The label of the recorded thread with this object.
    pub fn name_of_thread(&self, object: &Value) -> Option<String> {
        let Value::Object(object) = object else { return None };
        self.sites.of_objects.get(object).map(|thread| self.thread_label(*thread))
    }

    /// The nodes of all calls of a thread.
    pub fn of_thread(&self, thread: u32) -> std::ops::Range<u32> {
        let found = self.of_threads.get(&thread);
        found.map_or(0..0, |(first, count)| *first..first.saturating_add(*count))
    }

    /// The number of the thread that made a call; `None` if there is no such call.
    pub fn thread_number(&self, node: u32) -> Option<u32> {
        // The threads are in the order of their calls.
        let behind = self.threads.partition_point(|(_, first, _)| *first <= node);
        let holds = |(_, first, count): &&(u32, u32, u32)| node < first.saturating_add(*count);
        let mut before = self.threads.iter().take(behind).rev().skip_while(|(.., count)| *count == 0);
        before.next().filter(holds).map(|(thread, ..)| *thread)
    }

    /// The label of the thread that made a call; `None` if there is no such call.
    pub fn thread_of(&self, node: u32) -> Option<String> {
        self.thread_number(node).map(|thread| self.thread_label(thread))
    }

    /// The outermost recorded calls of a thread.
    pub fn roots(&self, thread: u32) -> Vec<u32> {
        let all = self.of_thread(thread);
        self.siblings(all.start, all.end)
    }

    /// The direct callees of a call.
    pub fn children(&self, node: u32) -> Vec<u32> {
        self.siblings(node.saturating_add(1), node.saturating_add(self.size(node)))
    }

    fn siblings(&self, first: u32, end: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = first;
        // A damaged table can hold any size, so the loop checks each row.
        while at < end && self.row(at).is_some() {
            found.push(at);
            at = at.saturating_add(self.size(at).max(1));
        }
        found
    }

    fn row(&self, node: u32) -> Option<usize> {
        usize::try_from(node).ok().filter(|row| *row < self.table.len())
    }

    fn size(&self, node: u32) -> u32 {
        self.row(node).map_or(0, |row| self.table.word(3, row))
    }

    /// The number of a call's method.
    pub fn method_number(&self, node: u32) -> Option<u32> {
        self.row(node).map(|row| self.table.word(0, row))
    }

    /// A call's method.
    pub fn method(&self, node: u32) -> Option<&Method> {
        self.sites.method(self.method_number(node)?)
    }

    /// The calls of a method in one thread.
    pub fn of_method(&self, method: u32, thread: u32) -> Vec<u32> {
        self.rows_of_method(method, thread).map(|row| self.by_method.word(0, row)).collect()
    }

    /// Number of calls of a method in one thread.
    pub fn count_of_method(&self, method: u32, thread: u32) -> u64 {
        u64::try_from(self.rows_of_method(method, thread).len()).unwrap_or(u64::MAX)
    }

    /// The first call of a method in one thread.
    pub fn first_of_method(&self, method: u32, thread: u32) -> Option<u32> {
        self.rows_of_method(method, thread).next().map(|row| self.by_method.word(0, row))
    }

    /// The rows of a method's calls in one thread.
    fn rows_of_method(&self, method: u32, thread: u32) -> std::ops::Range<usize> {
        let all = self.of_thread(thread);
        let row = self.methods.lower_bound(&[method.into()]);
        if self.methods.word(0, row) != method {
            return 0..0;
        }
        let [from, count] = [1, 2].map(|column| usize::try_from(self.methods.word(column, row)).unwrap_or(0));
        // A damaged table can hold any range.
        let end = from.saturating_add(count).min(self.by_method.len());
        let bound = |node: u32| self.by_method.lower_bound_in(from.min(end)..end, &[node.into()]);
        bound(all.start)..bound(all.end)
    }

    /// The calls of the same method in the same thread, up to and including this one.
    pub fn ordinals(&self, node: u32) -> Vec<u32> {
        let of_all = self.method_number(node).zip(self.thread_number(node));
        let mut calls = of_all.map_or_else(Vec::new, |(method, thread)| self.of_method(method, thread));
        calls.retain(|other| *other <= node);
        calls
    }

    /// Number of earlier calls of the same method in the same thread.
    pub fn ordinal(&self, node: u32) -> Option<usize> {
        self.ordinals(node).len().checked_sub(1)
    }

    /// Number of calls below a call.
    pub fn below(&self, node: u32) -> u32 {
        self.size(node).saturating_sub(1)
    }

    /// The caller. Its number is always lower, so following parents terminates.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.row(node).map(|row| self.table.word(1, row)).filter(|parent| *parent < node)
    }

    /// How a call ended.
    pub fn exit(&self, node: u32) -> Exit {
        self.row(node).map_or(Exit::Unrecorded, |row| Exit::of(self.table.word(6, row)))
    }

    /// A call with its arguments and its result; `None` if there is no such call.
    ///
    /// # Errors
    /// Its events cannot be read.
    pub fn call(&mut self, node: u32) -> Result<Option<Call>, TraceError> {
        let (Some(method), Some(enter)) = (self.method_number(node), self.begins(node)) else {
            return Ok(None);
        };
        let wanted = self.arguments(enter)?;
        let is_around = wanted.is_none();
        let mut arguments = wanted.unwrap_or_default();
        let (is_static, is_constructor) =
            self.sites.method(method).map_or((true, false), |m| (m.is_static, m.name == "<init>"));
        let this = match (is_static, is_constructor) {
            (true, _) => None,
            (false, true) => Some(self.born(node).unwrap_or(0)),
            (false, false) => {
                let this = (!arguments.is_empty()).then(|| arguments.remove(0));
                Some(match this {
                    Some(Value::Object(this)) => this,
                    _ => 0,
                })
            }
        };
        let result = match self.ends(node) {
            Some(exit) => self.values(exit)?.first().copied(),
            None => None,
        };
        let (exit, below) = (self.exit(node), self.below(node));
        Ok(Some(Call { node, method, is_around, this, arguments, exit, result, below }))
    }

    /// The arguments of the entry at a position; `None` when the entry was not recorded.
    fn arguments(&mut self, (chunk, at): ChunkOffset) -> Result<Option<Vec<Value>>, TraceError> {
        let events = self.chunk(chunk)?;
        let mut decoder = Decoder::from(&self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
        let mut values = Vec::new();
        Ok(match decoder.next(&mut values, None) {
            Ok(Some(Event::Around(_))) => None,
            Ok(Some(Event::At(_))) => Some(values),
            _ => Some(Vec::new()),
        })
    }

    /// The values of the event at a position.
    pub(super) fn values(&mut self, (chunk, at): ChunkOffset) -> Result<Vec<Value>, TraceError> {
        let events = self.chunk(chunk)?;
        let mut decoder = Decoder::from(&self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
        let mut values = Vec::new();
        Ok(match decoder.next(&mut values, None) {
            Ok(Some(Event::At(_))) => values,
            _ => Vec::new(),
        })
    }

    /// The chunks of a thread.
    pub(super) fn chunks_of(&self, thread: u32) -> Vec<u32> {
        self.rows.get(&thread).cloned().unwrap_or_default()
    }

    /// The state at the start of a chunk: the turn, the number of the next call, and the innermost open call.
    pub(super) fn beginning(&self, chunk: u32) -> (u64, u32, Option<u32>) {
        let row = usize::try_from(chunk).unwrap_or(usize::MAX);
        let inside = Some(self.chunks.word(2, row)).filter(|node| *node != NONE);
        (self.chunks.get(0, row), self.chunks.word(1, row), inside)
    }

    /// The position of a call's entry; `None` if there is no such call.
    pub(super) fn begins(&self, node: u32) -> Option<ChunkOffset> {
        let (row, thread) = self.row(node).zip(self.thread_number(node))?;
        // The entry is in the last chunk that starts before any later call was entered.
        let chunks = self.rows.get(&thread)?;
        let place = chunks.partition_point(|chunk| self.beginning(*chunk).1 <= node).checked_sub(1)?;
        Some((*chunks.get(place)?, self.table.word(2, row)))
    }

    /// The position of a call's end, if it was recorded.
    pub(super) fn ends(&self, node: u32) -> Option<ChunkOffset> {
        let row = self.row(node)?;
        let is_known = matches!(self.exit(node), Exit::Returned | Exit::Threw);
        is_known.then(|| (self.table.word(4, row), self.table.word(5, row)))
    }

    /// Whether a constructor of a class has initialised an object, so that `this` was known in it.
    pub fn was_born_in(&self, object: u32, class: &str) -> bool {
        let constructors = (0..).zip(self.sites.methods());
        let constructors = constructors.filter(|(_, of)| *of.class == *class && of.name == "<init>");
        let threads = self.threads();
        constructors.into_iter().any(|(method, _)| {
            let mut of_it = threads.iter().flat_map(|(thread, ..)| self.of_method(method, *thread));
            of_it.any(|node| self.born(node) == Some(object))
        })
    }

    /// The object that a constructor call created.
    pub fn born(&self, node: u32) -> Option<u32> {
        let row = self.born.lower_bound(&[node.into()]);
        (self.born.word(0, row) == node).then(|| self.born.word(1, row)).filter(|born| *born != 0)
    }
}
