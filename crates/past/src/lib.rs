//! A recorded run: nothing here runs the program. Front ends, queries and diagnoses build on it. No
//! function has a hidden position; each takes a position or a [`Moment`].
//!
//! - [`Recording`] is an open recording: its calls and events, the lines of its events ([`Lines`]), and the
//!   class files and sources of the program (`code`). `missing` tells what it lacks, `info` what it
//!   contains.
//! - `name` tells what a name or expression denotes at a moment, and `expression` evaluates it;
//!   `recorded_classes` has the classes that it names, `object_names` reads `Rec@7`. `locals`, `variables`
//!   and `objects` show what is there; `fields` and `snapshot` find the parts of objects, `heap` what they
//!   hold.
//! - `moves` goes from event to event, from line to line (`line_steps`) and to `breakpoints`, whose `hits`
//!   it finds, in either `direction`. `places` has lines, sources and calls to go to, `thread_ends` where
//!   threads begin and end. `stack` has threads and frames, `thrown` the exception of an event,
//!   `log_points` what log points print.
//! - `history` lists the writes to a variable, `nearest_write` finds the last or the next one, and
//!   `replaced` what a change of a collection replaces. `cause` answers why.
//! - `calls` shows the call tree with `folded_calls`; `events` and `view` the events of one call; `state` an
//!   object when a call began and ended, `contents` the contents of a collection; `line_counts` how often
//!   lines ran, `lanes` when calls ran. `paged` has the views that show a part of what there is at a time.
//! - `event_ref` is how users name an event. `numbered_events` finds events by their numbers, with the
//!   `event_index` of a call.
//! - `call`, `event`, `text` and `values` display one call, event, text and value.

pub mod breakpoints;
pub mod call;
pub mod calls;
pub mod cause;
pub mod code;
pub mod contents;
pub mod direction;
mod error;
pub mod event;
mod event_index;
pub mod event_ref;
pub mod events;
pub mod expression;
pub mod fields;
mod folded_calls;
pub mod heap;
pub mod history;
mod hits;
mod info;
pub mod lanes;
mod line_counts;
pub mod line_steps;
pub mod lines;
pub mod locals;
pub mod log_points;
mod missing;
mod moment;
pub mod moves;
pub mod name;
pub mod nearest_write;
mod numbered_events;
mod object_names;
pub mod objects;
mod paged;
pub mod places;
pub mod recorded_classes;
mod recording;
mod replaced;
pub mod shape;
pub mod snapshot;
pub mod stack;
pub mod state;
pub mod suspended;
pub mod text;
mod thread_ends;
pub mod thrown;
mod unrecorded_changes;
pub mod values;
pub mod variables;
pub mod view;

pub use breakpoints::{
    BreakpointGroup, BreakpointPlace, BreakpointRequest, BreakpointState, Breakpoints, HitCount, ThrownPlace,
};
pub use call::{CallShown, Fold, ListedCall};
pub use calls::{CallTree, CallsRequest, ThreadShown, calls};
pub use cause::{Cause, CauseKind};
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use direction::Direction;
pub use error::PastError;
pub use event::EventShown;
pub use event_ref::EventRef;
pub use events::{EventsShown, events_of};
pub use folded_calls::TreeParent;
pub use history::{History, WriteShown};
pub use info::{RecordedPlaces, RecordingInfo, ThreadInfo, holds};
pub use line_steps::SourceLine;
pub use lines::{Lines, MethodVariables, OpenCode};
pub use log_points::{Printed, PrintedHit};
pub use moment::Moment;
pub use moves::{Move, Stop, StopReason, Which};
pub use name::Variable;
pub use numbered_events::EventShownAt;
pub use object_names::{check_object, declaring_class};
pub use objects::{MemberShown, ObjectShown};
pub use paged::{
    CauseShown, DrawnRun, EventPage, EventRow, EventsPart, FoldRow, LineShown, LineValue, LinesShown,
    PartRow, PartsShown, PathStep, TreeRow, TreeRowKind, TreeRows, WriteRow, WritesShown,
};
pub use places::CallOfLine;
pub use recording::Recording;
pub use stack::{Frame, FrameSource, RecordedThread};
pub use state::{PartShown, StateRequest, StateShown, state};
pub use thrown::ThrownException;
pub use variables::{HeldVariable, UNDIVIDED, VariableGroup};
pub use view::{ListedEvent, LocalShown, Marks, View};
