//! A recorded run: nothing here runs the program. Front ends, queries and diagnoses build on it. No
//! function has a hidden position; each takes a position or a [`Moment`].
//!
//! - [`Recording`] is an open recording: its calls and events, the lines of its events ([`Lines`]), and the
//!   class files and sources of the program (`code`). `missing` tells what it lacks, `info` what it
//!   contains.
//! - `name` tells what a name or expression denotes at a moment, and `expression` evaluates it;
//!   `recorded_classes` has the classes that it names, `object_names` reads `Rec@7`. `locals`, `variables`
//!   and `objects` show what is there; `fields` and `snapshot` find the parts of objects.
//! - `moves` goes from event to event, from line to line (`line_steps`) and to `breakpoints`, whose `hits`
//!   it finds, in either `direction`. `places` has lines, sources and calls to go to, `thread_ends` where
//!   threads begin and end. `stack` has threads and frames, `thrown` the exception of an event,
//!   `log_points` what log points print.
//! - `history` lists the writes to a variable, `nearest_write` finds the last or the next one, and
//!   `replaced` what a change of a collection replaces. `cause` answers why.
//! - `calls` and `tree_rows` show the call tree with `folded_calls`; `events`, `view` and `event_rows` the
//!   events of one call; `state` an object when a call began and ended, `contents` the contents of a
//!   collection; `line_values` what each line did, `line_counts` how often it ran; `lanes` and `drawing`
//!   the whole run as a picture.
//! - `event_ref` is how users name an event. `numbered_events` finds events by their numbers, with the
//!   `event_index` of a call.
//! - `call`, `event`, `text` and `values` display one call, event, text and value.

pub mod breakpoints;
pub mod call;
pub mod calls;
pub mod cause;
pub mod causes;
pub mod code;
pub mod contents;
pub mod direction;
pub mod drawing;
mod error;
pub mod event;
mod event_index;
pub mod event_ref;
pub mod event_rows;
pub mod events;
pub mod expression;
mod expressions;
pub mod fields;
mod folded_calls;
pub mod history;
mod hits;
mod info;
pub mod lanes;
mod line_counts;
pub mod line_steps;
pub mod line_values;
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
pub mod object_parts;
pub mod objects;
pub mod places;
pub mod recorded_classes;
mod recording;
mod replaced;
pub mod shape;
pub mod snapshot;
pub mod stack;
pub mod state;
pub mod text;
mod thread_ends;
pub mod thrown;
pub mod tree_rows;
pub mod values;
pub mod variables;
pub mod view;
pub mod writes;

pub use breakpoints::{
    BreakpointGroup, BreakpointPlace, BreakpointRequest, BreakpointState, Breakpoints, HitCount, ThrownPlace,
};
pub use call::{CallShown, Fold, ListedCall};
pub use calls::{CallTree, CallsRequest, ThreadShown, calls};
pub use cause::{Cause, CauseKind};
pub use causes::CauseShown;
pub use contents::{ContentsShown, HeldContents, ItemShown};
pub use direction::Direction;
pub use drawing::DrawnRun;
pub use error::PastError;
pub use event::EventShown;
pub use event_ref::EventRef;
pub use event_rows::{EventPage, EventRow, EventsPart};
pub use events::{EventsShown, events_of};
pub use folded_calls::TreeParent;
pub use history::{History, WriteShown};
pub use info::{RecordedPlaces, RecordingInfo, holds};
pub use line_steps::SourceLine;
pub use line_values::{LineShown, LineValue, LinesShown};
pub use lines::{Lines, MethodVariables, OpenCode};
pub use log_points::{Printed, PrintedHit};
pub use moment::Moment;
pub use moves::{Move, Stop, StopReason, Which};
pub use name::Variable;
pub use numbered_events::EventShownAt;
pub use object_names::{check_object, declaring_class};
pub use object_parts::{PartRow, PartsShown};
pub use objects::{MemberShown, ObjectShown};
pub use places::CallOfLine;
pub use recording::Recording;
pub use stack::{Frame, FrameSource, RecordedThread};
pub use state::{PartShown, StateRequest, StateShown, state};
pub use thrown::ThrownException;
pub use tree_rows::{FoldRow, PathStep, TreeRow, TreeRowKind, TreeRows};
pub use variables::{HeldVariable, UNDIVIDED, VariableGroup};
pub use view::{ListedEvent, LocalShown, Marks, View};
pub use writes::{WriteRow, WritesShown};
