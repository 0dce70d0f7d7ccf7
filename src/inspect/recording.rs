//! A recording as views read it.

use super::lines::Lines;
use crate::trace::{About, Calls};

/// A recording as views read it.
pub struct Recording {
    /// What was recorded, and how.
    pub about: About,
    /// Its calls and their events.
    pub calls: Calls,
    /// The lines of its events by class files.
    pub lines: Lines,
}
