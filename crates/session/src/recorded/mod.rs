//! Records runs, opens recordings, and reads them.
//!
//! - [`record`] runs the program once and stores the events of its threads. `rerecord` records one call in
//!   more detail, or only some calls ([`only`]); `supplements` finds such recordings again.
//! - [`cover`] runs the program once and notes only what it covers.
//! - [`RecordedTrace`] is an open recording. [`events`] and [`history`] add detail from other runs of the
//!   program; all other views are those of `inspect`.
//! - A [`Stepper`] moves from event to event. `debugger` shows a recording as a debugger does, and `viewer`
//!   as a page.
//! - [`as_chain`] turns an event into a chain, and [`find`] finds the event of a point. [`export`] writes all
//!   events for other programs (`parquet`). `secrets` removes passwords from the recorded command.
//! - [`pack()`] makes one file of a recording; `packed` is its layout, by which it is opened.

mod as_chain;
mod cover;
mod debugger;
mod event_row;
mod events;
mod export;
mod find;
mod history;
mod jel;
mod open;
mod pack;
mod packed;
mod parquet;
mod record;
mod rerecord;
mod scope;
mod secrets;
mod step;
mod supplements;
mod viewer;

pub use as_chain::{ChainRequest, as_chain};
pub use cover::{CoverOptions, cover};
pub use debugger::{
    BreakpointGroup, BreakpointPlace, BreakpointRequest, BreakpointState, CallOfLine, Cause, CauseKind,
    Frame, FrameSource, HeldVariable, HitCount, Move, Printed, PrintedHit, RecordedDebugger, RecordedThread,
    Stop, StopReason, ThrownException, ThrownPlace, UNDIVIDED, VariableGroup, Which,
};
pub use events::{EventsRequest, events};
pub use export::{ExportForm, ExportRequest, ExportResult, export};
pub use find::{FoundEvent, FoundEvents, find};
pub use history::history;
pub use inspect::{
    CallShown, CallTree, CallsRequest, ContentsShown, EventShown, EventsShown, Fold, HeldContents, History,
    ItemShown, ListedCall, PartShown, RecordedPlaces, RecordingInfo, StateRequest, StateShown, ThreadShown,
    WriteShown, calls, holds, state,
};
pub use open::{MEMORY, RecordedTrace};
pub use pack::{PackResult, pack};
pub use packed::is_packed;
pub use record::{RecordOptions, RecordedRun, default_scope, record};
pub use rerecord::{CallRange, at_level, detail, only};
pub use secrets::Secrets;
pub use step::{
    Direction, ListedEvent, LocalShown, MarkedVariable, MemberShown, ObjectShown, SourceLine, Stepper, View,
    WatchedVariable,
};
pub use viewer::{
    CauseShown, DrawnRun, EventPage, EventRow, EventShownAt, EventsPart, FoldRow, LineShown, LineValue,
    LinesShown, PartRow, PartsShown, PathStep, RecordedViewer, Selection, TreeParent, TreeRow, TreeRowKind,
    TreeRows, WriteRow, WritesShown,
};
