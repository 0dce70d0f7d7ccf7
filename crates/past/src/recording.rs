//! The input of all views: an open recording. It has no position: each view takes a moment.

use super::code::Code;
use super::event_index::EventIndex;
use super::folded_calls::{FoldedCalls, TreeParent};
use super::line_counts::LineCounts;
use super::lines::Lines;
use super::locals::KnownLocals;
use classes::{ClassPool, SourceRoots};
use std::collections::VecDeque;
use trace::{About, Calls, TimeAxis};

/// A recording with its metadata, class files and sources.
pub struct Recording {
    /// The recorded program and the settings.
    pub about: About,
    /// The calls and their events.
    pub calls: Calls,
    /// The source lines of events, from class files.
    pub lines: Lines,
    /// The class files and sources that names and causes are looked up in.
    pub code: Box<Code>,
    pub(crate) kept: Box<Kept>,
}

/// What views keep, so that the next one begins where the last one ended.
#[derive(Default)]
pub(crate) struct Kept {
    /// The variables of a call at the last event where they were asked for.
    pub locals: Option<KnownLocals>,
    /// The calls whose events were listed last.
    pub indexes: VecDeque<EventIndex>,
    /// The lists of calls that were shown last.
    pub lists: VecDeque<(TreeParent, FoldedCalls)>,
    /// The time axis of the run.
    pub axis: Option<TimeAxis>,
    /// The call whose lines were counted last.
    pub counts: Option<LineCounts>,
}

impl Recording {
    /// A recording without class files, until [`Recording::use_code`].
    pub fn new(about: About, calls: Calls, lines: Lines) -> Recording {
        Recording { about, calls, lines, code: Box::default(), kept: Box::default() }
    }

    /// Looks names up in these class files and sources.
    pub fn use_code(&mut self, pool: Option<ClassPool>, sources: Option<SourceRoots>) {
        *self.code = Code::new(pool, sources);
    }

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
