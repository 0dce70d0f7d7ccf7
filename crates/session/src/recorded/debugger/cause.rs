//! Questions about the past of a position: what last wrote a variable, and which condition led here.

use super::RecordedDebugger;
use super::code::CodeIndex;
use super::stack::FrameSource;
use crate::answer::source_context::CodeBook;
use crate::context::Context;
use crate::error::SessionError;
use crate::recorded::step::{Direction, Stepper};
use crate::recorded::{MarkedVariable, WatchedVariable};
use bytecode::{ControlDependence, Dependences};
use classes::SourceRoots;
use inspect::History;
use inspect::event::{EventShown, event};
use inspect::values::shown;
use model::{MethodName, Site};
use std::path::Path;
use trace::{EventPosition, Traced, Value};

/// What a cause is.
#[derive(Clone, Debug, PartialEq)]
pub enum CauseKind {
    /// A write, or a change of a collection.
    Written(Box<EventShown>),
    /// A condition, with its outcome: `x > 3` was `false`.
    Decided {
        /// The condition.
        condition: String,
        /// The part of it that decided, if it has several.
        part: Option<String>,
        /// Its outcome.
        outcome: String,
    },
    /// An exception, which a handler caught: it as text. The cause is where it was thrown.
    Caught(String),
    /// The call of the method: nothing in the method decides whether the position is reached.
    Called,
}

/// Why something is as it is: an earlier event.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// What it is.
    pub kind: CauseKind,
    /// Where it is; one can go there.
    pub at: EventPosition,
    /// Class and method.
    pub method: String,
    /// The source, if the class file names it.
    pub source: Option<FrameSource>,
    /// The line.
    pub line: Option<u16>,
    /// The text of that line, if the source is there.
    pub text: Option<String>,
}

impl RecordedDebugger {
    /// The last write to a variable before a frame's position, or the last change of the collection that it
    /// refers to.
    ///
    /// # Errors
    /// There is no such variable, nothing wrote it, or the events cannot be read.
    pub fn why(&mut self, frame: EventPosition, name: &str) -> Result<Cause, SessionError> {
        let found = self.nearest_write(frame, name, Direction::Back)?;
        let none = || SessionError::NoStep(format!("no write to `{name}` was recorded before this"));
        let at = found.ok_or_else(none)?;
        self.written(at)
    }

    /// The last writes to a variable before the current position, the latest first, at most `limit`.
    ///
    /// # Errors
    /// There is no such variable, the events cannot be read, or the user interrupted.
    pub fn last_writes(
        &mut self,
        frame: EventPosition,
        name: &str,
        limit: usize,
        context: &Context,
    ) -> Result<Vec<Cause>, SessionError> {
        let variable = self.watched(frame, name)?;
        let (mut at, mut found) = (self.at, Vec::new());
        while found.len() < limit {
            if context.is_interrupted() {
                return Err(SessionError::Interrupted);
            }
            let before = variable.nearest_write(&mut self.trace.recording.calls, at, Direction::Back)?;
            let Some(before) = before else { break };
            found.push(self.written(before)?);
            at = before;
        }
        Ok(found)
    }

    /// The write at an event.
    fn written(&mut self, at: EventPosition) -> Result<Cause, SessionError> {
        let recording = &mut self.trace.recording;
        let mut written = recording.calls.event_at(at, event)?.unwrap_or_default();
        recording.lines.correct(&mut recording.calls, at, &mut written)?;
        let line = written.line;
        self.cause(CauseKind::Written(Box::new(written)), at, line)
    }

    /// The nearest write to a variable in a direction.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn nearest_write(
        &mut self,
        frame: EventPosition,
        name: &str,
        direction: Direction,
    ) -> Result<Option<EventPosition>, SessionError> {
        let variable = self.watched(frame, name)?;
        // Not from the frame's own position: its objects may have changed during the call that it makes.
        variable.nearest_write(&mut self.trace.recording.calls, self.at, direction)
    }

    /// The variable that a name means in a frame.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn watched(&mut self, frame: EventPosition, name: &str) -> Result<WatchedVariable, SessionError> {
        WatchedVariable::named(name.trim(), &mut self.trace.recording.calls, frame, &mut self.known)
    }

    /// The variable that a name means in a frame, to mark its changes.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn marked(&mut self, frame: EventPosition, name: &str) -> Result<MarkedVariable, SessionError> {
        MarkedVariable::named(name.trim(), &mut self.trace.recording.calls, frame, &mut self.known)
    }

    /// What led to the position of a frame: the last condition of its call on which the position depends, or
    /// the exception whose handler it is in. If there is neither, it is the call.
    ///
    /// # Errors
    /// The class file is missing, or the events cannot be read.
    pub fn why_here(&mut self, frame: EventPosition) -> Result<Cause, SessionError> {
        let calls = &mut self.trace.recording.calls;
        let nowhere = || SessionError::NoStep("this frame was not recorded".to_owned());
        let index = self.code.index(calls, frame)?.ok_or_else(nowhere)?;
        let depends = self.depends(index).map_err(SessionError::NoStep)?;
        let mut last = None;
        let calls = &mut self.trace.recording.calls;
        calls.events_until(frame, |_, seen| {
            let bci = seen.site.bci;
            let leads = match seen.site.what {
                _ if seen.node != Some(frame.node) => false,
                Traced::Branch(_) => depends.edges.iter().any(|edge| edge.branch_pc == bci),
                Traced::Catch => depends.handlers.iter().any(|handler| handler.handler_pc == bci),
                _ => false,
            };
            if leads {
                let at = seen.position();
                last = at.map(|at| (at, seen.site.what, bci, seen.values.first().copied(), seen.line()));
            }
        })?;
        let (at, branch, to, line) = match last {
            Some((at, Traced::Branch(to), bci, _, line)) => (at, bci, u32::from(to), line),
            Some((at, _, _, Some(thrown), line)) => return self.caught(at, thrown, line),
            _ => {
                let none = || {
                    SessionError::NoStep(
                        "no condition of this method led here, and its call has no recorded caller"
                            .to_owned(),
                    )
                };
                let made = self.trace.recording.calls.made_at(frame.node).ok_or_else(none)?;
                let line = self.trace.recording.calls.called_from(made)?;
                return self.cause(CauseKind::Called, made, line);
            }
        };
        let name = self.trace.recording.calls.sites.method_name(index.0).ok_or_else(nowhere)?;
        let text = self.text_of(&name, line);
        let nothing = SourceRoots::open(&[], Path::new("."), None);
        let pool = self.code.pool().map_err(SessionError::NoStep)?;
        let book = CodeBook { pool, sources: self.sources.as_ref().unwrap_or(&nothing) };
        let decision = book.decision(&Site { method: name, bci: branch }, to, text.as_deref());
        let kind = match decision {
            Some(decision) => CauseKind::Decided {
                condition: decision.whole,
                part: decision.decided_by,
                outcome: decision.taken,
            },
            None => {
                CauseKind::Decided { condition: "a condition".to_owned(), part: None, outcome: String::new() }
            }
        };
        self.cause(kind, at, line)
    }

    /// The throw of an exception that a handler caught at a position.
    fn caught(&mut self, at: EventPosition, thrown: Value, line: Option<u16>) -> Result<Cause, SessionError> {
        let calls = &mut self.trace.recording.calls;
        let text = shown(&thrown, &calls.objects);
        let place = calls.last_event_before(at, |_, seen| {
            matches!(seen.site.what, Traced::Throw | Traced::Raised) && seen.values.first() == Some(&thrown)
        })?;
        let line = if place.is_some() { None } else { line };
        self.cause(CauseKind::Caught(text), place.unwrap_or(at), line)
    }

    /// The branches and handlers on which a code index depends.
    fn depends(&self, (method, bci): CodeIndex) -> Result<Dependences, String> {
        let pool = self.code.pool()?;
        let unknown = || "the class file of this method is not there any more".to_owned();
        let method = self.trace.recording.calls.sites.method(method).ok_or_else(unknown)?;
        let class = pool.find(&method.class).ok().flatten().ok_or_else(unknown)?;
        let found = class.file.method(&method.name, &method.descriptor);
        let code = found.and_then(|found| found.code.as_ref()).ok_or_else(unknown)?;
        Ok(ControlDependence::new(code).of(bci))
    }

    fn text_of(&self, method: &MethodName, line: Option<u16>) -> Option<String> {
        let recorded = self.trace.recording.calls.sites.methods().iter();
        let source = recorded.filter(|m| *m.class == *method.class).find_map(|m| m.source.clone());
        let text = self.sources.as_ref()?.find(&method.class, source.as_deref(), None)?;
        Some(text.line(line?.into())?.trim().to_owned())
    }

    fn cause(
        &mut self,
        kind: CauseKind,
        at: EventPosition,
        line: Option<u16>,
    ) -> Result<Cause, SessionError> {
        let frame = self.frame(at, true)?;
        let line = line.or(frame.line);
        let name = self.trace.recording.calls.method_number(at.node);
        let name = name.and_then(|number| self.trace.recording.calls.sites.method_name(number));
        let text = name.and_then(|name| self.text_of(&name, line));
        Ok(Cause { kind, at, method: frame.name, source: frame.source, line, text })
    }

    /// The writes to a variable.
    ///
    /// # Errors
    /// There is no such variable, or the events cannot be read.
    pub fn history(&mut self, frame: EventPosition, name: &str) -> Result<History, SessionError> {
        Stepper::over(&mut self.trace, frame).history(name.trim())
    }

    /// Moves to the nearest write to a variable in a direction.
    ///
    /// # Errors
    /// There is no such variable or write, or the events cannot be read.
    pub fn to_write(
        &mut self,
        frame: EventPosition,
        name: &str,
        direction: Direction,
    ) -> Result<super::Stop, SessionError> {
        let side = if direction == Direction::Back { "before" } else { "after" };
        let none = || SessionError::NoStep(format!("no write to `{name}` was recorded {side} this"));
        let at = self.nearest_write(frame, name, direction)?.ok_or_else(none)?;
        self.to_event(at)
    }
}
