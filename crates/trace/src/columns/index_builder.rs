//! Builds the tables of calls and objects in one pass over all events. Several threads read the chunks
//! (`chunk_workers`, `chunk_scan`), one joins what they found (`stitcher`). Memory stays within the given
//! limit for a recording of any size.

use super::arrow_file::Layout;
use super::chunk_scan::{ChunkScan, ScanError, Scanner};
use super::chunk_workers::{ChunkWork, each_chunk};
use super::external_sort::Sorted;
use super::site_codes::{Role, codes};
use super::stitcher::{StitchedTables, Stitcher};
use super::writer::{GroupsWriter, TableWriter};
use super::{BY_METHOD, CHUNKS, Columns, METHODS, OBJECTS, Summary};
use crate::TraceError;
use crate::sites::Sites;
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};

/// How to build the tables.
pub struct IndexOptions<'a> {
    /// The existing, empty folder of the tables.
    pub to: &'a Path,
    /// Memory for table rows, in bytes.
    pub memory: usize,
    /// Called with the number of finished chunks and of all chunks; returns false to interrupt.
    pub goes_on: &'a mut dyn FnMut(usize, usize) -> bool,
}

/// The result of a chunk: what was found, or why it cannot be read. Its buffer comes back.
#[derive(Default)]
pub struct Scanned(ChunkScan, Option<ScanError>);

impl ChunkWork for Scanner<'_> {
    type Result = Scanned;

    fn work(&mut self, _: u32, events: &[u8], Scanned(buffer, _): Scanned) -> Scanned {
        match self.scan(events, None, buffer) {
            Ok(scan) => Scanned(scan, None),
            Err(error) => Scanned(ChunkScan::default(), Some(error)),
        }
    }
}

/// Builds the tables.
///
/// # Errors
/// Events cannot be read or a table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
/// false.
pub fn build_index(
    source: &Source,
    sites: &Sites,
    IndexOptions { to, memory, goes_on }: IndexOptions<'_>,
) -> Result<Columns, TraceError> {
    let mut by_thread: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, chunk) in (0..).zip(&source.chunks) {
        by_thread.entry(chunk.thread).or_default().push(number);
    }
    let order: Vec<u32> = by_thread.into_values().flatten().collect();
    let codes = codes(sites, Role::Unknown, |site| Role::of(site.what));
    let constructors: Vec<bool> = sites.methods().iter().map(|method| method.name == "<init>").collect();
    let scanner = || Scanner::new(sites, &codes, &constructors);
    let mut pass = Pass {
        stitcher: Stitcher::new(sites, to, memory)?,
        chunks: vec![[0; 5]; source.chunks.len()],
        again: scanner(),
        source: source.again(),
        sites,
        thread: None,
        expected: Some(0),
    };
    let mut done = 0;
    each_chunk(source, &order, scanner, |number, scanned| {
        done += 1;
        if !goes_on(done, order.len()) {
            return Err(TraceError::Interrupted);
        }
        pass.chunk(number, scanned)
    })?;
    pass.end_thread()?;
    let Pass { stitcher, chunks, .. } = pass;
    finish(stitcher.finish()?, chunks, source, to)?;
    Columns::open(to)
}

/// The pass over all chunks.
struct Pass<'a> {
    stitcher: Stitcher<'a>,
    /// The rows of the table of chunks.
    chunks: Vec<[u32; 5]>,
    /// Reads a chunk once more when only the earlier calls tell what its events mean.
    again: Scanner<'a>,
    source: Source,
    sites: &'a Sites,
    /// The current thread and the number of its first call.
    thread: Option<(u32, u32)>,
    /// The byte of the thread at which the next chunk has to begin; `None` after missing events.
    expected: Option<u64>,
}

impl Pass<'_> {
    /// Adds a chunk; `None` if its checksum differs. Returns the buffer.
    fn chunk(&mut self, number: u32, scanned: Option<Scanned>) -> Result<Option<Scanned>, TraceError> {
        let Some(chunk) = self.source.chunk(number) else { return Ok(scanned) };
        if self.thread.is_none_or(|(thread, _)| thread != chunk.thread) {
            self.end_thread()?;
            self.thread = Some((chunk.thread, self.stitcher.begin(chunk.thread)));
            self.expected = Some(0);
        }
        let Some(from) = self.expected else { return Ok(scanned) };
        let Some(Scanned(mut scan, error)) = scanned.filter(|_| chunk.at == from) else {
            let name = self.sites.threads.get(&chunk.thread).map_or("?", |(name, _)| name.as_str());
            let what = format!("events of thread {name} are missing from byte {from}");
            self.stitcher.summary.missing.push(what);
            self.expected = None;
            return Ok(None);
        };
        self.expected = Some(chunk.at + u64::from(chunk.length));
        if let Some(error) = error {
            let scanned = match error {
                ScanError::NeedsOuter => {
                    let events = self.source.read_into(number, Vec::new())?.unwrap_or_default();
                    self.again.scan(&events, Some(self.stitcher.open_methods()), scan)
                }
                error @ ScanError::Events(..) => Err(error),
            };
            scan = scanned.map_err(|error| {
                let (place, what) = match error {
                    ScanError::Events(place, what) => (place, what),
                    ScanError::NeedsOuter => (0, "an end belongs to no call"),
                };
                let at = chunk.at + u64::try_from(place).unwrap_or(0);
                TraceError::Broken { thread: chunk.thread, at, what }
            })?;
        }
        self.stitcher.summary.bytes += u64::from(chunk.length);
        if let Some(row) = usize::try_from(number).ok().and_then(|number| self.chunks.get_mut(number)) {
            *row = self.stitcher.row();
        }
        self.stitcher.add(number, &mut scan)?;
        Ok(Some(Scanned(scan, None)))
    }

    fn end_thread(&mut self) -> Result<(), TraceError> {
        if let Some((thread, first)) = self.thread.take() {
            let count = self.stitcher.end(first)?;
            self.stitcher.summary.threads.push((thread, first, count));
        }
        Ok(())
    }
}

fn finish(
    tables: StitchedTables,
    chunks: Vec<[u32; 5]>,
    source: &Source,
    to: &Path,
) -> Result<(), TraceError> {
    let StitchedTables { mut summary, calls, born, methods, objects } = tables;
    summary.missing.splice(0..0, source.missing.iter().cloned());
    summary.of = source.stamp;
    let mut table = TableWriter::create(&to.join("chunks.arrow"), CHUNKS)?;
    chunks.into_iter().try_for_each(|row| table.push(row))?;
    table.finish()?;
    calls.finish()?;
    let early = || {
        TraceError::at(to)(std::io::Error::other("the thread that writes the table of calls has not ended"))
    };
    let methods = Arc::into_inner(methods).ok_or_else(early)?;
    let methods = methods.into_inner().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, || {
            let [all, of_each] = ["by_method.arrow", "methods.arrow"].map(|name| to.join(name));
            let mut table = GroupsWriter::create(&all, BY_METHOD, &of_each, METHODS)?;
            methods.each(|method, nodes| table.push(method, nodes))?;
            table.finish()
        });
        born.finish()?;
        let (classes, objects) = objects.finish()?;
        summary.classes = classes;
        // Two threads may both report the same object as new. One that a recorded constructor makes is
        // reported again when its fields are set, with a higher kind.
        write(objects.sorted()?, to, "objects", OBJECTS, |one, next| one.first() == next.first())?;
        other.map_err(TraceError::at(to))?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    // This file is written last: its presence means that all tables are complete.
    write_summary(to, &summary)
}

fn write_summary(to: &Path, summary: &Summary) -> Result<(), TraceError> {
    let file = to.join("summary.json");
    let text = serde_json::to_vec(summary).map_err(|error| TraceError::at(&file)(error.into()))?;
    files::write(&file, text).map_err(TraceError::at(&file))
}

/// Writes a table and drops rows that `same` equates with the next row.
///
/// # Errors
/// The rows cannot be read or the table cannot be written.
pub fn write<const N: usize>(
    mut rows: Sorted<N>,
    to: &Path,
    name: &str,
    layout: Layout,
    same: impl Fn(&[u32; N], &[u32; N]) -> bool,
) -> Result<(), TraceError> {
    let mut table = TableWriter::create(&to.join(format!("{name}.arrow")), layout)?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        match last.replace(row) {
            Some(last) if !same(&last, &row) => table.push(last)?,
            _ => {}
        }
    }
    if let Some(last) = last {
        table.push(last)?;
    }
    table.finish()
}
