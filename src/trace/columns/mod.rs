//! What is derived from the events of a recorded run: tables in Arrow IPC files, mapped into memory to be
//! read. docs/trace-format.md describes them.
//!
//! - `table` is a table in a file, `writer` writes it.
//! - `external_sort` sorts any number of rows. `call_table` has calls in the order in which they began,
//!   `posting_lists` numbers by groups.
//! - `index_builder` goes through all events once and makes the tables; `open` knows which calls are open
//!   meanwhile.
//! - `checksums` notices a table that was changed.

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

/// A row for each chunk: the turn of its thread as it begins, the number of the next call that is entered
/// there, the innermost one that is open then, and 1 where all events of the thread before it are there.
const CHUNKS: Layout =
    &[("turn", Width::Double), ("next", Width::Word), ("inside", Width::Word), ("known", Width::Word)];
/// A row for each call, by number. There are more of them than of anything else: what can be told otherwise
/// has no column.
const CALLS: Layout = &[
    ("method", Width::Word),
    ("parent", Width::Word),
    ("enter_at", Width::Word),
    ("size", Width::Word),
    ("exit_chunk", Width::Word),
    ("exit_at", Width::Word),
    ("how", Width::Byte),
];
/// The objects that constructors have made: a row for each call of one, by number.
const BORN: Layout = &[("node", Width::Word), ("object", Width::Word)];
/// The calls of each method, which are so many rows of the next table, from one on.
const METHODS: Layout = &[("method", Width::Word), ("from", Width::Word), ("count", Width::Word)];
/// All calls, by method, and those of a method by number.
const BY_METHOD: Layout = &[("node", Width::Word)];
/// A row for each object, by number.
const OBJECTS: Layout = &[
    ("object", Width::Word),
    ("kind", Width::Word),
    ("class", Width::Word),
    ("bits", Width::Double),
    ("text_at", Width::Double),
    ("text_bytes", Width::Word),
];
/// Writes, by what is written: a row for all to a field or element in one chunk and one turn of its thread.
const WRITES: Layout = &[
    ("object", Width::Word),
    ("part", Width::Word),
    ("turn", Width::Double),
    ("chunk", Width::Word),
    ("at", Width::Word),
    ("count", Width::Word),
];

/// No call.
pub const NONE: u32 = u32::MAX;

/// Identifies what tables are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// How many chunks of events were found.
    pub chunks: usize,
    /// When their file was changed, in nanoseconds since 1970.
    pub changed: u64,
    /// What the agent has told of sites.
    pub sites: Checksum,
}

/// How a thread has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadEnd {
    /// In which turn.
    pub turn: u64,
    /// By an exception that nobody caught; 0 for none.
    pub exception: u32,
}

/// What the tables are made of, and what else is known then.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The version of the tables.
    pub format: u32,
    /// What they are made of.
    pub of: Stamp,
    /// How many events there are of each kind.
    pub events: BTreeMap<String, u64>,
    /// Bytes of events.
    pub bytes: u64,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// The threads: their numbers, their first calls, and how many they have.
    pub threads: Vec<(u32, u32, u32)>,
    /// How threads have ended, by their numbers.
    pub ends: BTreeMap<u32, ThreadEnd>,
    /// The threads that were started, by their numbers as objects: in which call.
    pub starts: BTreeMap<u32, Option<u32>>,
    /// The names of classes, by the numbers of their objects.
    pub classes: BTreeMap<u32, String>,
    /// The fields that are written: the classes that declare them, and their names. A part is a place here.
    pub fields: Vec<(String, String)>,
}

/// The version of the tables.
const FORMAT: u32 = 8;

/// The tables.
pub struct Columns {
    /// What they are made of.
    pub summary: Summary,
    /// By chunk.
    pub chunks: Table,
    /// By call.
    pub calls: Table,
    /// What constructors have made, by call.
    pub born: Table,
    /// By method.
    pub methods: Table,
    /// The calls of each.
    pub by_method: Table,
    /// By object.
    pub objects: Table,
    /// By field and element.
    pub writes: Table,
    /// How texts begin, one behind the other, in UTF-8.
    pub texts: Bytes,
}

impl Columns {
    /// Those that were kept in a folder, if they are whole and made of this.
    pub fn kept(folder: &Path, of: &Stamp) -> Option<Columns> {
        checksums::check(folder).ok()?;
        Columns::open(folder).ok().filter(|columns| columns.summary.of == *of)
    }

    /// Makes the tables in a folder ready to be kept.
    ///
    /// # Errors
    /// Their checksums cannot be written.
    pub fn seal(folder: &Path) -> Result<(), TraceError> {
        checksums::write(folder)
    }

    /// Those in a folder.
    ///
    /// # Errors
    /// They are not there, or cannot be read.
    pub fn open(folder: &Path) -> Result<Columns, TraceError> {
        let file = folder.join("summary.json");
        let text = std::fs::read(&file).map_err(TraceError::at(&file))?;
        let summary: Summary =
            serde_json::from_slice(&text).map_err(|error| TraceError::at(&file)(error.into()))?;
        if summary.format != FORMAT {
            return Err(TraceError::at(&file)(std::io::Error::other("of another version")));
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
