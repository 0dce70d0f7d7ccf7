//! Places in a recording to which one can go: executions of lines, calls of a line, and sources.

use crate::error::PastError;
use crate::line_steps::SourceLine;
use crate::moves::{Stop, StopReason, Which, begin_of_line};
use crate::recording::Recording;
use crate::stack::FrameSource;
use crate::thread_ends::{first_of_thread, last_of_thread};
use std::collections::BTreeSet;
use trace::{EventPosition, Traced};

/// Maximum number of calls of a line that are listed.
const CALLS: usize = 100;

/// A call that a line makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOfLine {
    /// The number of the call, for [`Recording::into_call`].
    pub node: u32,
    /// Class and method.
    pub name: String,
}

impl Recording {
    /// The execution of a line that is meant, in the thread of a position; `None` if there is none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn execution(
        &mut self,
        from: EventPosition,
        line: &SourceLine,
        which: Which,
    ) -> Result<Option<EventPosition>, PastError> {
        let at = match which {
            // Standing in the middle of the line, its beginning is not the previous execution.
            Which::Previous => begin_of_line(&mut self.calls, from)?,
            Which::Next => from,
            Which::First => first_of_thread(&self.calls, from),
            Which::Last => last_of_thread(&mut self.calls, from)?,
        };
        let calls = &mut self.calls;
        let is_it = |calls: &trace::Calls, seen: &trace::TracedEvent<'_>| line.is_at(calls, seen);
        Ok(match which {
            Which::Next | Which::First => calls.first_event_after(at, is_it)?,
            Which::Previous | Which::Last => calls.last_event_before(at, is_it)?,
        })
    }

    /// The line of a frame, if its class file names the source. The innermost one stands at an event, others
    /// where they make a call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn line_of(
        &mut self,
        at: EventPosition,
        is_innermost: bool,
    ) -> Result<Option<SourceLine>, PastError> {
        let line = self.frame(at, is_innermost)?.line;
        let class = self.calls.method(at.node).map(|method| method.class.to_string());
        Ok(class.zip(line).map(|(class, line)| SourceLine { class, line: line.into() }))
    }

    /// The first line of a call, by its number.
    ///
    /// # Errors
    /// The beginning of the call was not recorded.
    pub fn into_call(&mut self, number: u32) -> Result<Stop, PastError> {
        let calls = &mut self.calls;
        let node = calls.own(number);
        let none = || PastError::NoStep(format!("the beginning of call #{number} was not recorded"));
        let entry = calls.entry(node).ok_or_else(none)?;
        let mut first = None;
        calls.events_after(entry, |_, seen| {
            first = match seen.site.what {
                Traced::Line(_) if seen.node == Some(node) => seen.position(),
                _ => None,
            };
            first.is_none()
        })?;
        self.stop(first.unwrap_or(entry), StopReason::Step)
    }

    /// The calls that a frame makes before its next line begins.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn calls_of_line(&mut self, frame: EventPosition) -> Result<Vec<CallOfLine>, PastError> {
        let calls = &mut self.calls;
        let mut found = Vec::new();
        calls.events_after(frame, |calls, seen| match seen.site.what {
            Traced::Line(_) if seen.node == Some(frame.node) => false,
            Traced::Enter if seen.node != Some(frame.node) => {
                let name = seen.method(calls).map(trace::Method::shown).unwrap_or_default();
                found.extend(seen.node.map(|node| CallOfLine { node: calls.shown(node), name }));
                found.len() < CALLS
            }
            _ => true,
        })?;
        Ok(found)
    }

    /// The lines of a source file, between two lines, of which code was recorded. The file is named as in
    /// class files, without folders.
    pub fn lines_of(&self, file: &str, from: u32, to: u32) -> Vec<u32> {
        let class = file.strip_suffix(".java").unwrap_or(file);
        let calls = &self.calls;
        let lines: BTreeSet<u32> = calls
            .sites
            .all()
            .filter_map(|site| {
                let line = u32::from(site.line?);
                let of = SourceLine { class: class.to_owned(), line };
                let method = calls.sites.method(site.method)?;
                let is_it = method.source.as_deref() == Some(file) || of.is_of(&method.class);
                ((from..=to).contains(&line) && is_it).then_some(line)
            })
            .collect();
        lines.into_iter().collect()
    }

    /// The sources of the recorded methods.
    pub fn recorded_sources(&self) -> Vec<FrameSource> {
        let methods = self.calls.sites.methods().iter();
        let classes: BTreeSet<(String, String)> = methods
            .filter_map(|method| {
                let outermost = method.class.split('$').next().unwrap_or_default();
                Some((outermost.to_owned(), method.source.as_ref()?.to_string()))
            })
            .collect();
        classes.into_iter().map(|(class, name)| self.source_of(&class, name)).collect()
    }

    /// The text of a class's source.
    pub fn source_text(&self, class: &str, name: &str) -> Option<String> {
        let text = self.code.sources.as_ref()?.find(class, Some(name), None)?;
        Some(text.lines().join("\n"))
    }
}
