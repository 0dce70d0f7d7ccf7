//! Builds the tables of calls and objects in one pass over all events. Several threads read the chunks
//! (`chunk_workers`, `chunk_scan`), one joins what they found (`stitcher`). Memory stays within the given
//! limit for a recording of any size. The pass can begin while the program runs (`live_index`).

use super::arrow_file::Layout;
use super::chunk_scan::{ChunkScan, ScanError, Scanner};
use super::chunk_workers::{ChunkWork, each_chunk};
use super::external_sort::Sorted;
use super::site_codes::{Role, SiteCode, codes};
use super::stitcher::{StitchedTables, Stitcher, moved};
use super::writer::{GroupsWriter, TableWriter};
use super::{BY_METHOD, CHUNKS, Columns, METHODS, OBJECTS, Summary};
use crate::TraceError;
use crate::chunks::ChunkAt;
use crate::sites::Sites;
use crate::source::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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

/// Builds the tables of calls and objects from chunks, which it gets in the order of the file.
pub struct IndexBuilder {
    stitcher: Stitcher,
    /// The rows of the table of chunks, with the thread of each.
    chunks: Vec<(u32, [u32; 5])>,
    /// By thread, the byte at which its next chunk has to begin; `None` after missing events.
    expected: BTreeMap<u32, Option<u64>>,
    /// Threads with missing events, and the byte from which on they are missing.
    lost: Vec<(u32, u64)>,
    to: PathBuf,
}

impl IndexBuilder {
    /// Creates the tables in an existing, empty folder. `first` is the lowest number of a thread. Rows take
    /// at most `memory` bytes of memory.
    ///
    /// # Errors
    /// A file cannot be created.
    pub fn new(first: u32, to: &Path, memory: usize) -> Result<IndexBuilder, TraceError> {
        let stitcher = Stitcher::new(first, to, memory)?;
        let (chunks, expected, lost) = (Vec::new(), BTreeMap::new(), Vec::new());
        Ok(IndexBuilder { stitcher, chunks, expected, lost, to: to.to_owned() })
    }

    /// Number of events of each site so far, by the site's number less the first one.
    pub fn counts(&self) -> &[u64] {
        self.stitcher.counts()
    }

    /// Size of the events so far, in bytes.
    pub fn bytes(&self) -> u64 {
        self.stitcher.summary.bytes
    }

    /// Adds the chunks of a recording from number `from` on. Several threads read them.
    ///
    /// # Errors
    /// Events cannot be read or a table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
    /// false.
    pub fn add_all(
        &mut self,
        source: &Source,
        sites: &Sites,
        from: usize,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<(), TraceError> {
        let all = source.chunks.len();
        let order: Vec<u32> = (0..).take(all).skip(from).collect();
        let known = KnownSites::of(sites);
        let (mut again, mut own) = (known.scanner(sites), source.again());
        let mut done = from;
        each_chunk(
            source,
            &order,
            || known.scanner(sites),
            |number, scanned| {
                done += 1;
                if !goes_on(done, all) {
                    return Err(TraceError::Interrupted);
                }
                let Some(chunk) = source.chunk(number) else { return Ok(scanned) };
                let mut rescan = |outer, buffer| {
                    let events = own.read_into(number, Vec::new())?.unwrap_or_default();
                    Ok(again.scan(&events, Some(outer), buffer))
                };
                self.add(sites, &chunk, scanned, &mut rescan)
            },
        )
    }

    /// Adds the next chunk; `None` if its checksum differs. `rescan` reads it once more with the methods of
    /// the open calls, when only these tell what its events mean. Returns the buffer.
    ///
    /// # Errors
    /// As for [`IndexBuilder::add_all`].
    pub fn add(
        &mut self,
        sites: &Sites,
        chunk: &ChunkAt,
        scanned: Option<Scanned>,
        rescan: &mut Rescan<'_>,
    ) -> Result<Option<Scanned>, TraceError> {
        let number = u32::try_from(self.chunks.len()).map_err(|_| TraceError::TooManyCalls)?;
        self.chunks.push((chunk.thread, [0; 5]));
        self.stitcher.choose(chunk.thread);
        let expected = self.expected.entry(chunk.thread).or_insert(Some(0));
        let Some(from) = *expected else { return Ok(scanned) };
        let Some(Scanned(mut scan, error)) = scanned.filter(|_| chunk.follows(from)) else {
            self.lost.push((chunk.thread, from));
            *expected = None;
            return Ok(None);
        };
        *expected = Some(chunk.next());
        if let Some(error) = error {
            let scanned = match error {
                ScanError::NeedsOuter => rescan(self.stitcher.open_methods(), scan)?,
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
        if let Some((_, row)) = self.chunks.last_mut() {
            *row = self.stitcher.row();
        }
        self.stitcher.add(sites, number, &mut scan)?;
        Ok(Some(Scanned(scan, None)))
    }

    /// Completes the tables. `None` if `sites` names a field otherwise than the sites did with which the
    /// chunks were added.
    ///
    /// # Errors
    /// A table cannot be written.
    pub fn finish(self, source: &Source, sites: &Sites) -> Result<Option<Columns>, TraceError> {
        let IndexBuilder { stitcher, chunks, lost, to, .. } = self;
        let Some(StitchedTables { mut summary, places, born, methods, objects }) = stitcher.finish(sites)?
        else {
            return Ok(None);
        };
        let lost = lost.into_iter().map(|(thread, from)| {
            let name = sites.threads.get(&thread).map_or("?", |(name, _)| name.as_str());
            format!("events of thread {name} are missing from byte {from}")
        });
        summary.missing.splice(0..0, source.missing.iter().cloned().chain(lost));
        summary.of = source.stamp;
        let mut table = TableWriter::create(&to.join("chunks.arrow"), CHUNKS)?;
        for (thread, [high, low, next, inside, known]) in chunks {
            let place = places.get(&thread).copied().unwrap_or(0);
            let next = if known == 1 { moved(next, place) } else { next };
            let inside = if known == 1 { moved(inside, place) } else { inside };
            table.push([high, low, next, inside, known])?;
        }
        table.finish()?;
        let early = || {
            TraceError::at(&to)(std::io::Error::other(
                "the thread that writes the table of calls has not ended",
            ))
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
            born.finish(&places, |[node], place| [moved(node, place)])?;
            let (classes, objects) = objects.finish()?;
            summary.classes = classes;
            // Two threads may both report the same object as new. One that a recorded constructor makes is
            // reported again when its fields are set, with a higher kind.
            write(objects.sorted()?, &to, "objects", OBJECTS, |one, next| one.first() == next.first())?;
            let other = other.map_err(TraceError::at(&to))?;
            other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })?;
        // This file is written last: its presence means that all tables are complete.
        write_summary(&to, &summary)?;
        Columns::open(&to).map(Some)
    }
}

/// Reads a chunk again, with the methods of the calls that are open as it begins.
pub type Rescan<'a> = dyn FnMut(Vec<u32>, ChunkScan) -> Result<Result<ChunkScan, ScanError>, TraceError> + 'a;

/// What a scanner has to know of the sites.
pub struct KnownSites {
    codes: Vec<SiteCode<Role>>,
    /// By method: whether it is a constructor.
    constructors: Vec<bool>,
}

impl KnownSites {
    pub fn of(sites: &Sites) -> KnownSites {
        let codes = codes(sites, Role::Unknown, |site| Role::of(site.what));
        let constructors = sites.methods().iter().map(|method| method.name == "<init>").collect();
        KnownSites { codes, constructors }
    }

    /// A scanner of chunks whose sites are known.
    pub fn scanner<'a>(&'a self, sites: &'a Sites) -> Scanner<'a> {
        Scanner::new(sites, &self.codes, &self.constructors)
    }
}

/// Builds the tables of a recording.
///
/// # Errors
/// Events cannot be read or a table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
/// false.
pub fn build_index(
    source: &Source,
    sites: &Sites,
    IndexOptions { to, memory, goes_on }: IndexOptions<'_>,
) -> Result<Columns, TraceError> {
    let first = source.chunks.iter().map(|chunk| chunk.thread).min().unwrap_or(0);
    let mut builder = IndexBuilder::new(first, to, memory)?;
    builder.add_all(source, sites, 0, goes_on)?;
    // The sites are the same.
    builder.finish(source, sites)?.ok_or_else(|| TraceError::SitesChanged(source.path().to_owned()))
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
