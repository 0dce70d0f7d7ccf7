//! The threads of a recording, and the stack at a position.

use super::RecordedDebugger;
use crate::session::error::SessionError;
use crate::trace::{EventPosition, Traced};
use std::path::PathBuf;

/// A recorded thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedThread {
    /// Its number.
    pub number: u32,
    /// Its name.
    pub name: String,
}

/// The source of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSource {
    /// The name of the file.
    pub name: String,
    /// The file, if it was found outside an archive.
    pub path: Option<PathBuf>,
}

/// A call of the stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The number of the call.
    pub node: u32,
    /// Class and method.
    pub name: String,
    /// The source line; `None` if it was not recorded.
    pub line: Option<u16>,
    /// The source; `None` if the class file does not name it.
    pub source: Option<FrameSource>,
}

impl RecordedDebugger {
    /// The recorded threads.
    pub fn threads(&self) -> Vec<RecordedThread> {
        let named = |(number, name, _)| RecordedThread { number, name };
        self.trace.calls.threads().into_iter().map(named).collect()
    }

    /// The thread at the current position.
    pub fn thread(&self) -> u32 {
        self.trace.calls.thread_number(self.at.node).unwrap_or_default()
    }

    /// Frames of the stack at the current position: `many` of them from `first` on, 0 for the innermost; and
    /// how many there are.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn stack(&mut self, first: usize, many: usize) -> Result<(Vec<Frame>, usize), SessionError> {
        let positions = self.positions();
        let (mut frames, all) = (Vec::new(), positions.len());
        for (depth, at) in positions.into_iter().enumerate().skip(first).take(many) {
            frames.push(self.frame(at, depth == 0)?);
        }
        Ok((frames, all))
    }

    /// The position in each call of the stack, the innermost first.
    pub(super) fn positions(&self) -> Vec<EventPosition> {
        let calls = &self.trace.calls;
        std::iter::successors(Some(self.at), |at| calls.made_at(at.node)).collect()
    }

    fn frame(&mut self, at: EventPosition, is_innermost: bool) -> Result<Frame, SessionError> {
        let calls = &mut self.trace.calls;
        let own = match is_innermost {
            true => calls.event_at(at, |_, seen| match seen.site.what {
                Traced::Enter => None,
                _ => seen.line(),
            })?,
            false => None,
        };
        let line = match own.flatten() {
            Some(line) => Some(line),
            None => calls.called_from(at)?,
        };
        let method = calls.method(at.node);
        let name = method.map_or_else(String::new, |method| format!("{}.{}", method.class, method.name));
        let named = method.and_then(|method| Some((method.class.clone(), method.source.clone()?)));
        let source = named.map(|(class, name)| {
            let found = self.sources.as_ref().and_then(|sources| sources.find(&class, Some(&name), None));
            let path = found.map(|found| self.trace.about.cwd.join(&found.path));
            FrameSource { name: name.to_string(), path: path.filter(|path| path.is_file()) }
        });
        Ok(Frame { node: self.trace.calls.shown(at.node), name, line, source })
    }
}
