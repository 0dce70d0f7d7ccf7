//! Recorded runs: one is made, opened, and read in the ways in which a person asks.
//!
//! - [`record`] runs the program once and keeps what its threads do. `rerecord` records one call with more detail, or only
//!   some calls ([`only`]); `supplements` finds such recordings again.
//! - [`RecordedTrace`] is an open recording. [`holds`] describes it; [`calls`], [`events`], [`history`] and [`state`] show
//!   calls, the events of a call, writes to a place, and an object's values at some time.
//! - A [`Stepper`] goes from event to event. `lines` finds by class files which line gave a value.
//! - [`as_chain`] makes a chain of an event, and [`find`] finds the event of a point. [`export`] writes all events for
//!   other programs (`parquet`).
//! - `missing` says what a recording lacks. `secrets` removes passwords from the recorded command.

mod as_chain;
mod calls;
mod contents;
mod events;
mod export;
mod find;
mod history;
mod info;
mod lines;
mod missing;
mod open;
mod parquet;
mod record;
mod rerecord;
mod secrets;
mod state;
mod step;
mod supplements;

pub use as_chain::{ChainAsked, as_chain};
pub use calls::{CallShown, CallTree, CallsAsked, Fold, Shown, ThreadShown, calls};
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use events::{EventShown, EventsAsked, EventsShown, events};
pub use export::{ExportAsked, ExportForm, Exported, export};
pub use find::{FoundEvent, FoundEvents, find};
pub use history::{History, WriteShown, history};
pub use info::{Holds, PlacesHeld, holds};
pub use open::{MEMORY, RecordedTrace};
pub use record::{RecordOptions, RecordedRun, record};
pub use rerecord::{Only, detail, only};
pub use secrets::Secrets;
pub use state::{PartShown, StateAsked, StateShown, state};
pub use step::{HeldShown, LineOf, ListedEvent, LocalShown, ObjectShown, Stepper, View, Way};
