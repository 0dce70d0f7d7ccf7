//! The two directions of time.

/// A direction of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the last event before.
    Back,
    /// To the first event after.
    Forward,
}

impl Direction {
    /// Its events, as seen from one of them: `before this event`.
    pub fn side(self) -> &'static str {
        match self {
            Direction::Back => "before this event",
            Direction::Forward => "after this event",
        }
    }
}
