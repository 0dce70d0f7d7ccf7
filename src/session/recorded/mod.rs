//! Recorded runs: one is made, opened, and read in the ways in which a person asks.
//!
//! - [`record`] runs the program once and keeps what its threads do; `detail` records one call with more, or only some ([`only`]);
//!   `later` finds what was recorded so; `lines` tells by class files which line gave a value; `missing` tells what a recording lacks.
//! - [`RecordedTrace`] is a recorded run that is open. [`holds`] says what it holds; [`calls`], [`events`], [`history`] and [`state`]
//!   show calls, what one does, what was written and what an object held; [`export`] writes all for others (`parquet`).
//!   `secrets` says what of a command is not kept.
//!   A [`Stepper`] goes from event to event. [`as_chain`] makes a chain of an event, and [`find`] finds the event of a point.

mod as_chain;
mod calls;
mod contents;
mod detail;
mod events;
mod export;
mod find;
mod history;
mod info;
mod later;
mod lines;
mod missing;
mod open;
mod parquet;
mod record;
mod secrets;
mod state;
mod step;

pub use as_chain::{ChainAsked, as_chain};
pub use calls::{CallShown, CallTree, CallsAsked, Fold, Shown, ThreadShown, calls};
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use detail::{Only, detail, only};
pub use events::{EventShown, EventsAsked, EventsShown, events};
pub use export::{ExportAsked, ExportForm, Exported, export};
pub use find::{FoundEvent, FoundEvents, find};
pub use history::{History, WriteShown, history};
pub use info::{Holds, PlacesHeld, holds};
pub use open::{MEMORY, RecordedTrace};
pub use record::{RecordOptions, RecordedRun, record};
pub use secrets::Secrets;
pub use state::{PartShown, StateAsked, StateShown, state};
pub use step::{HeldShown, LineOf, ListedEvent, LocalShown, ObjectShown, Stepper, View, Way};
