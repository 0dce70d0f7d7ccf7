//! The input of all views: a recording.

use super::lines::Lines;
use trace::{About, Calls};

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
    pub fn supertypes(&mut self, class: &str) -> Option<(Option<String>, Vec<String>)> {
        if class.starts_with('[') || class.ends_with("[]") {
            return Some((None, Vec::new()));
        }
        if let Some(of) = self.calls.sites.class_of(class) {
            return Some((of.superclass.clone(), of.interfaces.clone()));
        }
        self.lines.supertypes(class)
    }

    /// The methods of a name that a class declares: descriptor and access flags. The recording has those with
    /// code, the class file all.
    pub fn methods(&mut self, class: &str, name: &str) -> Vec<(String, u16)> {
        let recorded = self.calls.sites.methods().iter();
        let recorded = recorded.filter(|method| *method.class == *class && method.name == name);
        let mut all: Vec<(String, u16)> =
            recorded.map(|method| (method.descriptor.clone(), method.access)).collect();
        all.extend(self.lines.methods(class, name));
        all
    }
}
