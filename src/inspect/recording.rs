//! The input of all views: a recording.

use super::lines::Lines;
use crate::trace::{About, Calls};

/// A recording with its metadata and lines.
pub struct Recording {
    /// The recorded program and the settings.
    pub about: About,
    /// The calls and their events.
    pub calls: Calls,
    /// The source lines of events, from class files.
    pub lines: Lines,
}
