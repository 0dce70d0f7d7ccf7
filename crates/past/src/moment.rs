//! Moments of a recorded run.

use trace::{EventPosition, EventTime};

/// A frame of the stack at a time of the run. All frames of a stack share the time, at which objects are
/// read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The call of the frame, and the event before which its variables are read.
    pub at: EventPosition,
    /// The time at which objects are read.
    pub when: EventTime,
}
