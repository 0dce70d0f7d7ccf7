//! Recorded runs: what the threads of a VM leave in their rings, taken out while the program runs, kept in one folder, and read
//! again as a tree of calls. docs/trace-format.md describes the files.
//!
//! This room knows `wire`, files, and nothing of how a run is launched. It prints nothing.
//!
//! - `folder` is where a recorded run is kept; `chunks` is the file of its events, which
//!   `packing` compresses when the program has ended.
//! - `collector` takes events out of the rings while they are written, on another processor than that of who writes: `apart`.
//! - `sites` is what the numbers of sites mean; `decode` reads events by them; `objects` knows what was met.
//! - `source` is where events are read; `columns` is the room of the tables that are derived from them.
//! - `calls` is the tree of calls; `writes` finds what was written to a field or an element, `held` what it held at some time,
//!   `contents` what a collection did.
//! - `constants` names the constants of enums, `lambdas` finds the code of lambdas.
//! - `recent` keeps at hand what was read last of the events.
//! - `walk` goes through the events of a thread or a call; `standing` goes from one to the next, to and fro.

mod apart;
mod calls;
mod chunks;
mod collector;
mod columns;
mod constants;
mod contents;
mod decode;
mod error;
mod folder;
mod held;
mod lambdas;
mod objects;
mod packing;
mod recent;
mod sites;
mod source;
mod standing;
mod walk;
mod writes;

pub use calls::{Call, Calls, Exit, Opening};
pub use collector::{Collected, Collector};
pub use columns::ThreadEnd;
pub use contents::{CONTENTS, Held, Items, Told};
pub use decode::{Event, Value};
pub use error::TraceError;
pub use folder::{About, Folder, Recorded};
pub use held::{HeldValue, MADE};
pub use objects::{Objects, Text, shown_class};
pub use sites::{Method, Site, Sites};
pub use standing::Standing;
pub use walk::{Further, Seen, Then};
pub use wire::only_reads;
pub use wire::recording::{Change, Level, Place, Places, Traced, Window, Written, is_named};
pub use writes::{When, Writes};
