//! Views that follow what a page has selected, an event by its name ([`EventRef`](crate::EventRef)), and show
//! a part of what there is at a time.
//!
//! - `tree_rows` lists calls and `event_rows` events, by row number. `object_parts` lists the parts of an
//!   object.
//! - `line_values` has what each line of a call did, `writes` the history of a variable, `causes` why
//!   something is as it is. `drawing` draws the whole run.

mod causes;
mod drawing;
mod event_rows;
mod line_values;
mod object_parts;
mod tree_rows;
mod writes;

pub use causes::CauseShown;
pub use drawing::DrawnRun;
pub use event_rows::{EventPage, EventRow, EventsPart};
pub use line_values::{LineShown, LineValue, LinesShown};
pub use object_parts::{PartRow, PartsShown};
pub use tree_rows::{FoldRow, PathStep, TreeRow, TreeRowKind, TreeRows};
pub use writes::{WriteRow, WritesShown};
