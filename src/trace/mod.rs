//! Recorded runs: what the threads of a VM leave in their rings, taken out while the program runs, kept in
//! one folder, and read again as a tree of calls. docs/trace-format.md describes the files.
//!
//! This room knows `wire` and files, and nothing of how a run is launched. It prints nothing.
//!
//! - `folder` is where a recording is kept. `chunks` is the file of its events; `compression` compresses it
//!   when the program has ended.
//! - `collector` takes events out of the rings while they are written, on another processor than the thread
//!   that writes (`cpu_affinity`).
//! - `sites` has the meaning of site numbers, `decode` reads events by them, `objects` knows each object that
//!   was met.
//! - `source` is where events are read; `columns` is the room of the tables that are derived from them.
//! - `calls` is the tree of calls. `writes` finds the writes to a field or an element, `value_at` its value
//!   at some time, `contents` the changes of a collection.
//! - `lambdas` finds the code of lambdas.
//! - `recent` caches the events that were read last.
//! - `walk` goes through the events of a thread or a call; a `cursor` goes from one to the next, in both
//!   directions.

mod calls;
mod chunks;
mod collector;
mod columns;
mod compression;
mod contents;
mod cpu_affinity;
mod cursor;
mod decode;
mod error;
mod folder;
mod lambdas;
mod objects;
mod recent;
mod sites;
mod source;
mod value_at;
mod walk;
mod writes;

pub use calls::{Call, Calls, Exit, OpenOptions};
pub use collector::{Collected, Collector};
pub use columns::ThreadEnd;
pub use contents::{CONTENTS, CollectionChange, CollectionContents, Items};
pub use cursor::EventPosition;
pub use decode::{Event, Value};
pub use error::TraceError;
pub use folder::{About, Folder, RecordingOutcome};
pub use objects::{Objects, Text, shown_class};
pub use sites::{Method, Site, Sites};
pub use value_at::{CREATION, HeldValue};
pub use walk::{TracedEvent, WalkControl, WalkPosition};
pub use wire::only_reads;
pub use wire::recording::{Change, Level, Place, Places, Traced, Window, Written, is_named};
pub use writes::{EventTime, Writes};
