//! The tables derived from the events of a recording: Arrow IPC files that are mapped into memory.
//! docs/trace-format.md describes them.
//!
//! - `table` reads a table, `writer` writes one.
//! - `external_sort` sorts any number of rows. `call_table` writes calls in order of entry, `posting_lists`
//!   groups ascending integers.
//! - `index_builder` builds the tables in one pass over all events; `open` tracks the open calls.
//! - `checksums` detects changed tables.

mod call_table;
mod checksums;
mod external_sort;
mod index_builder;
mod open;
mod posting_lists;
mod table;
mod writer;

pub use checksums::Checksum;
pub use index_builder::{
    ARRAY, BOX, CLASS, CONSTANT, CONSTANT_WITH_BODY, EXCEPTION, FIELDS, IndexOptions, NO_MESSAGE, TEXT,
    build_index,
};
pub use table::Table;

use super::error::TraceError;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use table::{Layout, Width};

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
const FORMAT: u32 = 10;

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
    /// The writes, by field or element.
    pub writes: Table,
    /// The beginnings of strings, concatenated, in UTF-8.
    pub texts: Bytes,
}

impl Columns {
    /// Opens the tables in a folder, if they are undamaged and built from this state.
    pub fn kept(folder: &Path, of: &Stamp) -> Option<Columns> {
        checksums::check(folder).ok()?;
        Columns::open(folder).ok().filter(|columns| columns.summary.of == *of)
    }

    /// Writes the checksums, so that [`Columns::kept`] accepts the tables later.
    ///
    /// # Errors
    /// The checksums cannot be written.
    pub fn seal(folder: &Path) -> Result<(), TraceError> {
        checksums::write(folder)
    }

    /// Opens the tables in a folder.
    ///
    /// # Errors
    /// A table is missing or cannot be read.
    pub fn open(folder: &Path) -> Result<Columns, TraceError> {
        let file = folder.join("summary.json");
        let text = std::fs::read(&file).map_err(TraceError::at(&file))?;
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
            writes: table("writes", WRITES)?,
            texts: table::map(&texts).map_err(TraceError::at(&texts))?,
            summary,
        })
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
