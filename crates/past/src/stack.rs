//! The threads of a recording, and the stack at a position.

use crate::error::PastError;
use crate::recording::Recording;
use serde::Serialize;
use std::path::PathBuf;
use trace::{Calls, EventPosition, Traced};

/// A recorded thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedThread {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// The source of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FrameSource {
    /// The name of the file.
    pub name: String,
    /// The file, if it was found outside an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// A class in it, by which its text can be read.
    pub class: String,
    /// Whether its text was found.
    pub has_text: bool,
}

/// A call of the stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Frame {
    /// Where it stands.
    #[serde(skip)]
    pub at: EventPosition,
    /// The number of the call.
    pub node: u32,
    /// Class and method.
    pub name: String,
    /// The source line; `None` if it was not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The source; `None` if the class file does not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<FrameSource>,
    /// Whether it is a function of Kotlin that waits for a coroutine. It then stands where it was suspended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_suspended: bool,
}

impl Recording {
    /// The recorded threads.
    pub fn threads(&self) -> Vec<RecordedThread> {
        let named = |(number, name, _)| RecordedThread { number, name };
        self.calls.threads().into_iter().map(named).collect()
    }

    /// Where a thread stands at the time of an event: at its last event before it, or at its beginning.
    ///
    /// # Errors
    /// There is no such thread, or the events cannot be read.
    pub fn position_of(&mut self, thread: u32, at: EventPosition) -> Result<EventPosition, PastError> {
        if self.calls.thread_number(at.node) == Some(thread) {
            return Ok(at);
        }
        let now = self.calls.when_at(at)?;
        let calls = &mut self.calls;
        let first = calls.roots(thread).first().copied().and_then(|root| calls.entry(root));
        let none = || PastError::NoStep(format!("there is no thread {thread}"));
        let first = first.ok_or_else(none)?;
        Ok(calls.last_before(thread, now)?.unwrap_or(first))
    }

    /// Frames of the stack at a position: `many` of them from `first` on, 0 for the innermost; and how many
    /// there are. The suspended callers of a coroutine come last.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn stack(
        &mut self,
        at: EventPosition,
        first: usize,
        many: usize,
    ) -> Result<(Vec<Frame>, usize), PastError> {
        let calls = &self.calls;
        let positions: Vec<_> = std::iter::successors(Some(at), |at| calls.made_at(at.node)).collect();
        let callers = self.suspended_callers(&positions)?;
        let (mut frames, all) = (Vec::new(), positions.len() + callers.len());
        for (depth, at) in positions.iter().enumerate().skip(first).take(many) {
            frames.push(self.frame(*at, depth == 0)?);
        }
        let left = many.saturating_sub(frames.len());
        frames.extend(callers.into_iter().skip(first.saturating_sub(positions.len())).take(left));
        Ok((frames, all))
    }

    /// A call of the stack. An innermost one stands at an event, others where they make a call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn frame(&mut self, at: EventPosition, is_innermost: bool) -> Result<Frame, PastError> {
        let calls = &mut self.calls;
        let own = match is_innermost {
            true => calls.event_at(at, |_, seen| match seen.site.what {
                Traced::Enter => None,
                _ => seen.line(),
            })?,
            false => None,
        };
        let line = match own.flatten() {
            Some(line) => Some(line),
            None if is_innermost && calls.entry(at.node) == Some(at) => first_line(calls, at)?,
            None => calls.called_from(at)?,
        };
        let method = calls.method(at.node);
        let name = method.map_or_else(String::new, trace::Method::shown);
        let named = method.and_then(|method| Some((method.class.to_string(), method.source.clone()?)));
        let node = calls.shown(at.node);
        let source = named.map(|(class, name)| self.source_of(&class, name.to_string()));
        Ok(Frame { at, node, name, line, source, is_suspended: false })
    }

    /// The source of a class, by the name of its file.
    pub fn source_of(&self, class: &str, name: String) -> FrameSource {
        let found = self.code.sources.as_ref().and_then(|sources| sources.find(class, Some(&name), None));
        let path = found.as_ref().map(|found| self.about.cwd.join(&found.path));
        let (path, has_text) = (path.filter(|path| path.is_file()), found.is_some());
        FrameSource { name, path, class: class.to_owned(), has_text }
    }
}

/// The line that a call executes first; `None` if its lines were not recorded.
fn first_line(calls: &mut Calls, entry: EventPosition) -> Result<Option<u16>, PastError> {
    let mut line = None;
    calls.events_after(entry, |_, seen| {
        let is_own = seen.node == Some(entry.node) && !matches!(seen.site.what, Traced::Enter);
        if is_own {
            line = seen.line();
        }
        !is_own
    })?;
    Ok(line)
}
