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

impl Recording {
    /// The superclass and the interfaces that a class names, with dots: from the recording, otherwise from
    /// its class file. `None` if neither has the class.
    pub fn supertypes(&mut self, class: &str) -> Option<Vec<String>> {
        if class.starts_with('[') || class.ends_with("[]") {
            return Some(Vec::new());
        }
        if let Some(of) = self.calls.sites.class_of(class) {
            return Some(of.superclass.iter().chain(&of.interfaces).cloned().collect());
        }
        self.lines.supertypes(class)
    }
}
