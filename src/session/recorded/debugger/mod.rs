//! A recording as a debugger shows it: threads, stacks and variables at a position, and moves in both
//! directions. Editors use it; the stepper of `qp trace step` shows single events instead.
//!
//! - [`RecordedDebugger`] holds the position. `moves` finds the next one, `stack` and `variables` show what
//!   is there.

mod moves;
mod stack;
mod variables;

pub use moves::{Move, Stop, StopReason};
pub use stack::{Frame, FrameSource, RecordedThread};
pub use variables::{HeldVariable, VariableGroup};

use super::open::RecordedTrace;
use super::step::SourceLine;
use crate::classes::SourceRoots;
use crate::session::error::SessionError;
use crate::trace::EventPosition;
use std::path::PathBuf;

/// A position in a recording, with breakpoints.
pub struct RecordedDebugger {
    trace: RecordedTrace,
    sources: Option<SourceRoots>,
    at: EventPosition,
    breakpoints: Vec<SourceLine>,
}

impl RecordedDebugger {
    /// Starts at the end of the thread that recorded the first call. It looks for sources in these folders
    /// too.
    ///
    /// # Errors
    /// Nothing was recorded, or the events cannot be read.
    pub fn new(mut trace: RecordedTrace, sources: &[PathBuf]) -> Result<RecordedDebugger, SessionError> {
        let nothing = || SessionError::NoStep("the recording has no calls".to_owned());
        let at = trace.calls.entry(0).ok_or_else(nothing)?;
        let sources = trace.sources(sources);
        let at = moves::last_of_thread(&mut trace.calls, at)?;
        Ok(RecordedDebugger { trace, sources, at, breakpoints: Vec::new() })
    }

    /// The reasons why parts of the run are missing.
    pub fn missing(&self) -> Vec<String> {
        self.trace.missing()
    }

    /// Replaces the breakpoints of a source file, by its name, and tells of each line whether code of it was
    /// recorded.
    pub fn set_breakpoints(&mut self, file: &str, lines: &[u32]) -> Vec<bool> {
        let class = file.strip_suffix(".java").unwrap_or(file);
        self.breakpoints.retain(|line| line.class != class);
        let lines = lines.iter().map(|line| SourceLine { class: class.to_owned(), line: *line });
        let added: Vec<SourceLine> = lines.collect();
        let calls = &self.trace.calls;
        let is_recorded = |line: &SourceLine| {
            calls.sites.all().any(|site| {
                site.line.map(u32::from) == Some(line.line)
                    && calls.sites.method(site.method).is_some_and(|method| line.is_of(&method.class))
            })
        };
        let recorded = added.iter().map(is_recorded).collect();
        self.breakpoints.extend(added);
        recorded
    }
}
