//! Views of a recording. They are pure: nothing here runs the program. Front ends, queries and diagnoses
//! build on them.
//!
//! - [`Recording`] is their input: the recording, its calls, and the lines of its events ([`Lines`]).
//! - [`calls()`] shows the call tree and [`events_of`] the events of one call. `history` shows the writes to
//!   a [`Variable`], and [`state()`] an object when a call began and ended. `contents` shows the contents of
//!   a collection, and [`holds`] summarises the whole recording.
//! - `call`, `event` and `values` display one call, event and value.
//! - `lanes` shows which calls ran when, thread by thread.
//! - `locals` has the variables of a call at an event.
//! - `snapshot` describes a value and its parts at a given time. `fields` finds the fields of objects.
//! - `missing` reports what a recording lacks, and whether that matters for an answer.

pub mod call;
pub mod calls;
pub mod contents;
mod error;
pub mod event;
pub mod events;
pub mod fields;
pub mod history;
mod info;
pub mod lanes;
pub mod lines;
pub mod locals;
mod missing;
mod recording;
pub mod shape;
pub mod snapshot;
pub mod state;
pub mod text;
pub mod values;

pub use call::{CallShown, Fold, ListedCall};
pub use calls::{CallTree, CallsRequest, ThreadShown, calls};
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use error::InspectError;
pub use event::EventShown;
pub use events::{EventsShown, events_of};
pub use history::{History, Variable, WriteShown};
pub use info::{RecordedPlaces, RecordingInfo, holds};
pub use lines::{Lines, MethodVariables, OpenCode};
pub use recording::Recording;
pub use state::{PartShown, StateRequest, StateShown, state};
