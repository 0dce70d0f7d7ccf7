//! Recordings: the threads of a VM write events into rings; the collector moves them into one folder while
//! the program runs; readers see them as a tree of calls. docs/trace-format.md describes the files.
//!
//! This room uses `wire` and files. It does not know how a run is launched, and prints nothing.
//!
//! - `folder` is the folder of a recording. `chunks` is its file of events; `compression` compresses it when
//!   the program has ended, and while the recording is read.
//! - `collector` moves events out of the rings while the program writes them, on another CPU than the writing
//!   thread.
//! - `compaction` drops the oldest events of a recording whose size is limited. `dropped_part` writes what
//!   the rest needs of them, and `last_state` finds it.
//! - `sites` gives the meaning of site numbers, `decode` decodes events, `objects` describes the objects met.
//! - `source` reads the events; `columns` builds and reads the tables derived from them.
//! - `calls` is the call tree. `writes` finds the writes to a field or element (in the table of
//!   `writes_table`), `value_at` its value at a
//!   given time, `contents` the contents of a collection. `text_history` and `contents_cursor`
//!   answer many such questions about one text or collection.
//! - `coverage` reads which edges of control flow runs covered that were not recorded.
//! - `lambdas` finds the code of lambdas. `same_events` tells whether two recordings have the same events
//!   (`report_checksum`).
//! - `recent` reads events and keeps those that were read last (`event_cache`).
//! - `event_time` has the positions and times of events, `parts` the numbers of what is written.
//! - `time_axis` puts all threads on one axis, for pictures.
//! - `blocks` divides the events of a thread into parts that are decoded alone.
//! - `entered_before` finds the calls that were entered before a time.
//! - `walk` visits the events of a thread or a call; `cursor` steps from one event to the next in both
//!   directions.

mod blocks;
mod calls;
mod chunks;
mod collector;
mod columns;
mod compaction;
mod compression;
mod contents;
mod contents_cursor;
mod coverage;
mod cursor;
mod decode;
mod dropped_part;
mod entered_before;
mod error;
mod event_cache;
mod event_time;
mod exit;
mod folder;
mod growth;
mod lambdas;
mod last_state;
mod live_index;
mod loaders;
mod object_numbers;
mod object_set;
mod objects;
mod parts;
mod pieces;
mod recent;
mod report_checksum;
mod resolution;
mod same_events;
mod sites;
mod size;
mod source;
mod spool;
mod text;
mod text_history;
mod time_axis;
mod value_at;
mod walk;
mod writes;
mod writes_table;

pub use blocks::{Block, BlockStep};
pub use calls::{Call, Calls, OpenOptions};
pub use collector::{CollectedEvents, Collector};
pub use columns::{Checksum, Stamp, ThreadEnd};
pub use contents::{CollectionChange, CollectionContents, Items};
pub use contents_cursor::{ContentsChanges, ContentsCursor, Item};
pub use coverage::{CoveredEdge, CoveringRuns, FlowEdge, RunsCoverage};
pub use cursor::EventPosition;
pub use decode::{Event, Value};
pub use error::TraceError;
pub use event_time::EventTime;
pub use exit::Exit;
pub use folder::{About, Driven, Dropped, FileEnd, Folder, RecordingOutcome, WrittenFile};
pub use growth::{EventShare, EventShares, LARGE_RECORDING};
pub use live_index::{FinishedIndex, IndexFollower, PartialIndex};
pub use loaders::base_class;
pub use objects::{ImmutableContent, Objects, Text, shown_class};
pub use parts::{CONTENTS, CREATION, TEXT};
pub use resolution::class_fits;
pub use sites::{Class, Field, Method, Site, Sites};
pub use size::{parse_size, size_text, thousands};
pub use spool::{SpoolReader, SpoolWriter};
pub use text::{TextChange, TextContents};
pub use text_history::TextHistories;
pub use time_axis::TimeAxis;
pub use value_at::HeldValue;
pub use walk::{TracedEvent, WalkControl, WalkPosition};
pub use wire::brief::{Brief, MethodsByClass};
pub use wire::chosen::{Chosen, Constant, Member};
pub use wire::recording::{Change, Level, Place, Places, TextEffect, Traced, Window, WrittenVariable};
pub use wire::scope::{is_named, is_of_recorder, is_of_the_jdk};
pub use wire::steering::{Occurrence, Steered, Steering};
pub use writes::Writes;
pub use writes_table::Interrupted;
