//! A recording as a page shows it: views that follow one selection, a call and an event of it (JHyde §3).
//!
//! - [`RecordedViewer`] holds the recording. `selection` finds the position of a selection, and
//!   `event_index` the events of a call by their numbers.
//! - `tree_rows` lists calls and `event_rows` events, by row number, so that a page loads the rows it shows.
//! - `object_parts` lists the parts of an object.
//! - `line_values` has what each line of a call did, `writes` the history of a variable, `causes` why
//!   something is as it is. `drawing` draws the whole run.

mod causes;
mod drawing;
mod event_index;
mod event_rows;
mod line_values;
mod object_parts;
mod selection;
mod tree_rows;
mod writes;

pub use causes::CauseShown;
pub use drawing::DrawnRun;
pub use event_rows::{EventPage, EventRow, EventsPart};
pub use line_values::{LineShown, LineValue, LinesShown};
pub use object_parts::{PartRow, PartsShown};
pub use selection::{EventShownAt, Selection};
pub use tree_rows::{FoldRow, PathStep, TreeParent, TreeRow, TreeRowKind, TreeRows};
pub use writes::{WriteRow, WritesShown};

use super::debugger::RecordedDebugger;
use super::open::RecordedTrace;
use crate::error::SessionError;
use classes::SourcePaths;
use event_index::EventIndex;
use inspect::fields::Fields;
use line_values::LineCounts;
use std::collections::VecDeque;
use trace::{Calls, EventPosition, TimeAxis};
use tree_rows::Siblings;

/// Maximum number of calls whose events have an index.
const INDEXES: usize = 8;
/// Maximum number of lists of calls that are kept.
const LISTS: usize = 8;
/// Maximum number of calls in these lists, unless one list has more.
const CALLS: usize = 12_000_000;

/// A recording with what its views keep.
pub struct RecordedViewer {
    debugger: RecordedDebugger,
    /// Where a page begins.
    start: EventPosition,
    /// The calls whose events were listed last.
    indexes: VecDeque<EventIndex>,
    /// The lists of calls that were shown last.
    lists: VecDeque<Siblings>,
    axis: Option<TimeAxis>,
    /// The call whose lines were counted last.
    counts: Option<LineCounts>,
}

impl RecordedViewer {
    /// Views of a recording. They look for sources in these folders too.
    ///
    /// # Errors
    /// Nothing was recorded, or the events cannot be read.
    pub fn new(trace: RecordedTrace, sources: &SourcePaths) -> Result<RecordedViewer, SessionError> {
        let debugger = RecordedDebugger::new(trace, sources)?;
        let (indexes, lists) = (VecDeque::new(), VecDeque::new());
        let start = debugger.position();
        Ok(RecordedViewer { debugger, start, indexes, lists, axis: None, counts: None })
    }

    /// Where a page begins: the end of the thread that recorded the first call, or where the exception was
    /// thrown that ended it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn start(&mut self) -> Result<Selection, SessionError> {
        self.selection_of(self.start)
    }

    /// The recording.
    pub fn trace(&mut self) -> &mut RecordedTrace {
        self.debugger.trace()
    }

    /// The recording, to look at it.
    pub fn recording(&self) -> &RecordedTrace {
        self.debugger.recording()
    }

    /// The calls of the recording, and the fields of its classes.
    pub(crate) fn calls_and_fields(&mut self) -> (&mut Calls, &mut Fields) {
        self.debugger.calls_and_fields()
    }

    /// The text of a class's source.
    pub fn source_text(&self, class: &str, file: &str) -> Option<String> {
        self.debugger.source_text(class, file)
    }
}
