//! Records runs, opens recordings, and reads what only further runs tell. What a recording itself tells is in
//! the room `past`.
//!
//! - [`record`] runs the program once and stores the events of its threads. `rerecord` records one call in
//!   more detail, or only some calls ([`only`]), and compares both runs (`call_digest`);
//!   `supplements` finds such recordings again.
//! - [`KeptRun`] keeps the recording of a program whose class files do not change.
//! - [`cover`] runs the program once and notes only what it covers, and [`run_plain`] only how it ends.
//! - [`RecordedTrace`] is an open recording with its folder and its program. [`events`] and [`history`] add
//!   detail from other runs of the program.
//! - [`as_chain`] turns an event into a chain. `answers` answers chains from a recording, and [`find`] finds
//!   the events of their points. [`origin()`] asks where a value was computed. [`export`] writes all events
//!   for other programs (`parquet`). `secrets` removes passwords from the recorded command.
//! - `logic` answers logic queries over recordings, and keeps their answers.
//! - [`pack()`] makes one file of a recording; `packed` is its layout, by which it is opened.

mod answers;
mod as_chain;
mod beside;
mod call_digest;
mod cover;
mod event_row;
mod events;
mod export;
mod find;
mod history;
mod jel;
mod kept_run;
pub mod logic;
mod open;
mod options;
mod origin;
mod other_vms;
mod pack;
mod packed;
mod parquet;
mod plain_run;
mod record;
mod rerecord;
mod scope;
mod secrets;
mod supplements;

pub use answers::RecordedSource;
pub use as_chain::{as_chain, chain_of};
pub use beside::{beside, can_run_beside};
pub use cover::{CoverOptions, CoveredProgram, cover};
pub use events::{EventsRequest, events};
pub use export::{ExportForm, ExportRequest, ExportResult, export};
pub use find::{FoundEvent, FoundEvents, find};
pub use history::history;
pub use kept_run::KeptRun;
pub use open::{MEMORY, RecordedTrace};
pub use options::{RecordOptions, default_max_size};
pub use origin::{ValueOrigin, origin};
pub use other_vms::RecordedVm;
pub use pack::{PackResult, pack};
pub use packed::is_packed;
pub use plain_run::{PlainRun, run_plain};
pub use record::{RecordedRun, default_scope, record};
pub use rerecord::{CallRange, at_level, detail, only};
pub use secrets::Secrets;
