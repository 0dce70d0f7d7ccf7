//! Views of a recording, pure: nothing here runs the program. Front ends, queries and diagnoses stand on
//! them.
//!
//! - [`Recording`] is what views read: what was recorded, its calls, and the lines of its events ([`Lines`]).
//! - [`calls()`] shows the tree of calls, [`events_of`] the events of one, `history` the writes to a
//!   [`Variable`], [`state()`] an object when a call began and ended, `contents` what a collection held,
//!   [`holds`] the recording as a whole.
//! - `call`, `event` and `values` are how one call, event and value is shown.
//! - `snapshot` describes a value with its parts at some time, `fields` the fields that objects have.
//! - `missing` says what a recording lacks, and whether that matters for an answer.

pub mod call;
pub mod calls;
pub mod contents;
mod error;
pub mod event;
pub mod events;
pub mod fields;
pub mod history;
mod info;
pub mod lines;
mod missing;
mod names;
mod recording;
pub mod snapshot;
pub mod state;
pub mod values;

pub use call::{CallShown, Fold, Shown};
pub use calls::{CallTree, CallsAsked, ThreadShown, calls};
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use error::InspectError;
pub use event::EventShown;
pub use events::{EventsShown, events_of};
pub use history::{History, Variable, WriteShown};
pub use info::{Holds, PlacesHeld, holds};
pub use lines::{Lines, OpenCode};
pub use recording::Recording;
pub use state::{PartShown, StateAsked, StateShown, state};
