//! The tables derived from the events of a recording: Arrow IPC files that are mapped into memory.
//! docs/trace-format.md describes them.
//!
//! - `table` reads a table, `writer` writes one; `arrow_file` is the format of both.
//! - `external_sort` sorts any number of rows. `call_table` writes calls in order of entry, `thread_table`
//!   thread by thread; `posting_lists` groups ascending integers.
//! - `index_builder` builds all tables but that of writes in one pass over all events. `chunk_workers` reads
//!   chunks with several threads, `chunk_scan` finds the calls of one chunk, with what `site_codes` says of
//!   sites, and `met_objects` its objects. `stitcher` joins the chunks; `open` tracks the open calls.
//! - `writes_builder` builds the table of writes; `fields` numbers the written fields.
//! - `checksums` detects changed tables.

mod arrow_file;
mod call_table;
mod checksums;
mod chunk_scan;
mod chunk_workers;
mod external_sort;
mod fields;
mod index_builder;
mod met_objects;
mod open;
mod posting_lists;
mod site_codes;
mod stitcher;
mod table;
mod thread_table;
mod writer;
mod writes_builder;

pub use checksums::Checksum;
pub use chunk_workers::ChunkWork;
pub use fields::Fields;
pub use index_builder::{IndexBuilder, IndexOptions, KnownSites, Scanned, build_index};
pub use met_objects::{
    ARRAY, BOX, CLASS, CONSTANT, CONSTANT_WITH_BODY, EXCEPTION, FIELDS, NO_MESSAGE, PLAIN, TEXT,
};
pub use open::OpenCalls;
pub use table::Table;
pub use writes_builder::WritesInput;

use super::error::TraceError;
use arrow_file::{Layout, Width};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// One row per chunk: the thread's turn at its start, the number of the next call, the innermost open call,
/// and 1 if no earlier events of the thread are missing.
const CHUNKS: Layout =
    &[("turn", Width::Double), ("next", Width::Word), ("inside", Width::Word), ("known", Width::Word)];
/// One row per call, by node number. This is the largest table, so it has no column that other tables imply.
const CALLS: Layout = &[
    ("method", Width::Word),
    ("parent", Width::Word),
    ("enter_at", Width::Word),
    ("size", Width::Word),
    ("exit_chunk", Width::Word),
    ("exit_at", Width::Word),
    ("how", Width::Byte),
];
/// One row per constructor call, by node number: the object it created.
const BORN: Layout = &[("node", Width::Word), ("object", Width::Word)];
/// The range of rows in the next table that holds a method's calls.
const METHODS: Layout = &[("method", Width::Word), ("from", Width::Word), ("count", Width::Word)];
/// All calls, by method and then by node number.
const BY_METHOD: Layout = &[("node", Width::Word)];
/// One row per object, by number.
const OBJECTS: Layout = &[
    ("object", Width::Word),
    ("kind", Width::Word),
    ("class", Width::Word),
    ("bits", Width::Double),
    ("text_at", Width::Double),
    ("text_bytes", Width::Word),
];
/// One row per field write before `super(…)`: the object that was created, the field, and where.
const PRESETS: Layout = &[
    ("object", Width::Word),
    ("part", Width::Word),
    ("turn", Width::Double),
    ("chunk", Width::Word),
    ("at", Width::Word),
];
/// One row per field or element, chunk and turn: the writes to it.
const WRITES: Layout = &[
    ("object", Width::Word),
    ("part", Width::Word),
    ("turn", Width::Double),
    ("chunk", Width::Word),
    ("at", Width::Word),
    ("count", Width::Word),
];

/// Stands for "no call" in a table.
pub const NONE: u32 = u32::MAX;

/// Identifies the recording's state that tables were built from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Number of chunks.
    pub chunks: usize,
    /// Modification time of the file of events, in nanoseconds since 1970.
    pub changed: u64,
    /// Checksum of the agent's report of sites.
    pub sites: Checksum,
}

/// How a thread ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadEnd {
    /// The turn in which it ended.
    pub turn: u64,
    /// The number of the uncaught exception; 0 for none.
    pub exception: u32,
}

/// What the tables were built from, and facts that have no table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Version of the tables' format.
    pub format: u32,
    /// The recording's state that the tables were built from.
    pub of: Stamp,
    /// Number of events of each kind.
    pub events: BTreeMap<String, u64>,
    /// Size of the events, in bytes.
    pub bytes: u64,
    /// Reasons why events are missing.
    pub missing: Vec<String>,
    /// The threads: number, first call, number of calls.
    pub threads: Vec<(u32, u32, u32)>,
    /// How each thread ended, by thread number.
    pub ends: BTreeMap<u32, ThreadEnd>,
    /// The call that started each thread, by the number of the thread's object.
    pub starts: BTreeMap<u32, Option<u32>>,
    /// The streams on which something was printed, with the name of a standard stream or nothing.
    pub streams: BTreeMap<u32, String>,
    /// Class names, by the number of the class object.
    pub classes: BTreeMap<u32, String>,
    /// The written fields: declaring class and name. A field's number is its index here.
    pub fields: Vec<(String, String)>,
}

/// Version of the tables' format.
const FORMAT: u32 = 12;

/// The files of the tables of calls and objects.
const FILES: [&str; 9] = [
    "summary.json",
    "texts",
    "born.arrow",
    "by_method.arrow",
    "calls.arrow",
    "chunks.arrow",
    "methods.arrow",
    "objects.arrow",
    "presets.arrow",
];

/// The opened tables.
pub struct Columns {
    /// What they were built from.
    pub summary: Summary,
    /// One row per chunk.
    pub chunks: Table,
    /// One row per call.
    pub calls: Table,
    /// The objects created by constructor calls.
    pub born: Table,
    /// One row per method.
    pub methods: Table,
    /// The calls of each method.
    pub by_method: Table,
    /// One row per object.
    pub objects: Table,
    /// The writes before `super(…)`.
    pub presets: Table,
    /// The beginnings of strings, concatenated, in UTF-8.
    pub texts: Bytes,
}

impl Columns {
    /// Opens the tables in a folder, if they are undamaged and built from this state.
    pub fn kept(folder: &Path, of: &Stamp) -> Option<Columns> {
        checksums::check(folder, &FILES).ok()?;
        Columns::open(folder).ok().filter(|columns| columns.summary.of == *of)
    }

    /// Writes the checksums, so that [`Columns::kept`] accepts the tables later.
    ///
    /// # Errors
    /// The checksums cannot be written.
    pub fn seal(folder: &Path) -> Result<(), TraceError> {
        checksums::write(folder, &FILES)
    }

    /// Opens the tables in a folder.
    ///
    /// # Errors
    /// A table is missing or cannot be read.
    pub fn open(folder: &Path) -> Result<Columns, TraceError> {
        let file = folder.join("summary.json");
        let text = files::read_regular(&file, u64::MAX, false).map_err(TraceError::at(&file))?;
        let summary: Summary =
            serde_json::from_slice(&text).map_err(|error| TraceError::at(&file)(error.into()))?;
        if summary.format != FORMAT {
            return Err(TraceError::at(&file)(std::io::Error::other(
                "the tables have another format version",
            )));
        }
        let table = |name: &str, layout| Table::open(&folder.join(format!("{name}.arrow")), layout);
        let texts = folder.join("texts");
        Ok(Columns {
            chunks: table("chunks", CHUNKS)?,
            calls: table("calls", CALLS)?,
            born: table("born", BORN)?,
            methods: table("methods", METHODS)?,
            by_method: table("by_method", BY_METHOD)?,
            objects: table("objects", OBJECTS)?,
            presets: table("presets", PRESETS)?,
            texts: table::map(&texts).map_err(TraceError::at(&texts))?,
            summary,
        })
    }
}

/// The table of writes, in a folder of its own.
pub struct WritesColumns;

/// What the table of writes was built from.
#[derive(PartialEq, Serialize, Deserialize)]
struct WritesSummary {
    /// Version of the tables' format.
    format: u32,
    /// The recording's state.
    of: Stamp,
}

/// The files of the table of writes.
const WRITES_FILES: [&str; 2] = ["summary.json", "writes.arrow"];

impl WritesColumns {
    /// Opens the table in a folder, if it is undamaged and built from this state.
    pub fn kept(folder: &Path, of: &Stamp) -> Option<Table> {
        checksums::check(folder, &WRITES_FILES).ok()?;
        let summary = files::read_regular(&folder.join("summary.json"), u64::MAX, false).ok()?;
        let summary: WritesSummary = serde_json::from_slice(&summary).ok()?;
        if summary != (WritesSummary { format: FORMAT, of: *of }) {
            return None;
        }
        Table::open(&folder.join("writes.arrow"), WRITES).ok()
    }

    /// Builds the table in an existing, empty folder, with `memory` bytes of memory for rows.
    ///
    /// # Errors
    /// Events cannot be read or the table cannot be written; [`TraceError::Interrupted`] when `goes_on`
    /// returns false.
    pub fn build(
        input: &WritesInput<'_>,
        to: &Path,
        memory: usize,
        goes_on: &mut dyn FnMut(usize, usize) -> bool,
    ) -> Result<Table, TraceError> {
        let table = writes_builder::build_writes(input, IndexOptions { to, memory, goes_on })?;
        let (file, summary) =
            (to.join("summary.json"), WritesSummary { format: FORMAT, of: input.source.stamp });
        let text = serde_json::to_vec(&summary).map_err(|error| TraceError::at(&file)(error.into()))?;
        files::write(&file, text).map_err(TraceError::at(&file))?;
        Ok(table)
    }

    /// Writes the checksums, so that [`WritesColumns::kept`] accepts the table later.
    ///
    /// # Errors
    /// The checksums cannot be written.
    pub fn seal(folder: &Path) -> Result<(), TraceError> {
        checksums::write(folder, &WRITES_FILES)
    }
}

#[cfg(test)]
pub fn objects(path: &Path) -> Result<writer::TableWriter<8>, TraceError> {
    writer::TableWriter::create(path, OBJECTS)
}

#[cfg(test)]
pub fn opened_objects(path: &Path) -> Result<Table, TraceError> {
    Table::open(path, OBJECTS)
}
