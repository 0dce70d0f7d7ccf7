//! Questions about the past of a moment: what last wrote a variable, and which condition led here.

use crate::code::CodeIndex;
use crate::direction::Direction;
use crate::error::PastError;
use crate::event::{EventShown, add_line, event};
use crate::event_ref::EventRef;
use crate::moment::Moment;
use crate::name::Variable;
use crate::nearest_write::NearestWrite;
use crate::recording::Recording;
use crate::replaced::{Replaced, add_replaced};
use crate::stack::FrameSource;
use crate::values::shown;
use bytecode::{ControlDependence, Dependences};
use classes::SourceRoots;
use model::{MethodName, Site};
use program::code_book::{CodeBook, calls_in};
use serde::Serialize;
use std::path::Path;
use trace::{EventPosition, Level, Traced, Value};

/// What a cause is.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CauseKind {
    /// A write, or a change of a collection.
    Written(Box<EventShown>),
    /// A condition, with its outcome: `x > 3` was `false`.
    Decided {
        /// The condition.
        condition: String,
        /// The part of it that decided, if it has several.
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<String>,
        /// Its outcome.
        outcome: String,
    },
    /// An exception, which a handler caught. The cause is where it was thrown.
    Caught {
        /// It as text.
        exception: String,
    },
    /// The call that gave a parameter its value.
    Given {
        /// The parameter.
        name: String,
        /// The argument's expression, if the class file of the caller tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        argument: Option<String>,
        /// Its value.
        value: String,
    },
    /// The call that began the thread: no condition decides whether the position is reached.
    Called,
}

/// Why something is as it is: an earlier event.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cause {
    /// What it is.
    #[serde(flatten)]
    pub kind: CauseKind,
    /// Where it is; one can go there.
    #[serde(skip)]
    pub at: EventPosition,
    /// The same as users name it.
    pub selection: EventRef,
    /// Whether code that was not recorded, such as a library, lies on the stack between the cause and its
    /// effect. It may have conditions of its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub through_unrecorded: bool,
    /// Class and method.
    pub method: String,
    /// The source, if the class file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<FrameSource>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The text of that line, if the source is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Recording {
    /// The last write to a variable before a moment, or the last change of the collection that it refers to.
    /// If nothing wrote a parameter, it is the call that passed its value.
    ///
    /// # Errors
    /// There is no such variable, nothing wrote it, or the events cannot be read.
    pub fn why(&mut self, moment: Moment, name: &str) -> Result<Cause, PastError> {
        let variable = self.variable(moment, name)?;
        if let Some(found) = self.nearest_write(moment, Direction::Back, &variable)? {
            return self.written(found.at);
        }
        if let Variable::Local { node, name } = &variable
            && let Some(given) = self.given(*node, name)?
        {
            return Ok(given);
        }
        Err(self.no_write(moment, Direction::Back, &variable, name)?)
    }

    /// Where a variable got its value before a moment, or gets its next one: the nearest write to it or to
    /// the collection that it refers to. Backwards from a parameter that nothing wrote, it is the call.
    ///
    /// # Errors
    /// There is no such variable or write, or the events cannot be read.
    pub fn write_in(
        &mut self,
        moment: Moment,
        direction: Direction,
        name: &str,
    ) -> Result<NearestWrite, PastError> {
        let variable = self.variable(moment, name)?;
        if let Some(found) = self.nearest_write(moment, direction, &variable)? {
            return Ok(found);
        }
        let made = match &variable {
            Variable::Local { node, name } if direction == Direction::Back => {
                self.given(*node, name)?.map(|cause| cause.at)
            }
            _ => None,
        };
        match made {
            Some(at) => Ok(NearestWrite { at, variable }),
            None => Err(self.no_write(moment, direction, &variable, name)?),
        }
    }

    /// The last writes to a variable before a moment, the latest first, at most `limit`.
    ///
    /// # Errors
    /// There is no such variable, the events cannot be read, or the user interrupted.
    pub fn last_writes(
        &mut self,
        moment: Moment,
        name: &str,
        limit: usize,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Vec<Cause>, PastError> {
        let variable = self.variable(moment, name)?;
        let (mut moment, mut found) = (moment, Vec::new());
        while found.len() < limit {
            if is_interrupted() {
                return Err(PastError::Interrupted);
            }
            let Some(before) = self.nearest_write(moment, Direction::Back, &variable)? else { break };
            found.push(self.written(before.at)?);
            moment = self.moment(before.at)?;
        }
        Ok(found)
    }

    /// The write at an event.
    fn written(&mut self, at: EventPosition) -> Result<Cause, PastError> {
        let found =
            self.calls.event_at(at, |calls, seen| (event(calls, seen), Replaced::by(seen), seen.when()))?;
        let none = || PastError::NoStep("the event cannot be read".to_owned());
        let (mut written, replaced, when) = found.ok_or_else(none)?;
        self.lines.correct(&mut self.calls, at, &mut written)?;
        add_replaced(&mut self.calls, replaced.map(|replaced| (when, replaced, &mut written)).into_iter())?;
        add_line(&mut self.calls, at, &mut written)?;
        let line = written.line;
        self.cause(CauseKind::Written(Box::new(written)), at, line)
    }

    /// The call that passed a parameter's value; `None` for other variables, and if the caller was not
    /// recorded.
    fn given(&mut self, node: u32, name: &str) -> Result<Option<Cause>, PastError> {
        let Some(method) = self.calls.method(node) else { return Ok(None) };
        let (called, descriptor) = (method.name.clone(), method.descriptor.clone());
        let at = method.parameters.iter().position(|parameter| parameter.as_deref() == Some(name));
        let is_assigned = |at: &usize| match self.code.assigned_parameters(method) {
            Some(assigned) => assigned.contains(at),
            None => true,
        };
        // Only level `all` records the writes to local variables.
        let at = at.filter(|at| method.level == Level::All || !is_assigned(at));
        let (Some(at), Some(made)) = (at, self.calls.made_at(node)) else { return Ok(None) };
        let Some(call) = self.calls.call(node)? else { return Ok(None) };
        let Some(value) = call.arguments.get(at).copied() else { return Ok(None) };
        let line = self.calls.called_from(made)?;
        let calls = self.calls_at(made, &called, &descriptor, line).unwrap_or_default();
        // Which of several calls it is, nothing tells; their arguments may be the same.
        let argument = calls.first().filter(|first| calls.iter().all(|other| other == *first));
        let argument = argument.and_then(|arguments| arguments.get(at)).cloned();
        let value = shown(&value, &self.calls.objects);
        self.cause(CauseKind::Given { name: name.to_owned(), argument, value }, made, line).map(Some)
    }

    /// Whether a call that a recorded call leads to is made by code that was not recorded, as far as class
    /// files tell.
    fn is_called_by_others(&mut self, made: EventPosition, node: u32) -> Result<bool, PastError> {
        let Some(method) = self.calls.method(node) else { return Ok(false) };
        // Initialisers of classes are run by the VM.
        if method.name == "<clinit>" {
            return Ok(false);
        }
        let (called, descriptor) = (method.name.clone(), method.descriptor.clone());
        // A call that spans several lines can be on another one than its last event.
        let calls = self.calls_at(made, &called, &descriptor, None);
        Ok(calls.is_some_and(|calls| calls.is_empty()))
    }

    /// The calls of a method in the code of a position, on a line or anywhere: the expressions of the
    /// arguments of each. `None` without the class file.
    fn calls_at(
        &mut self,
        made: EventPosition,
        name: &str,
        descriptor: &str,
        line: Option<u16>,
    ) -> Option<Vec<Vec<String>>> {
        let number = self.calls.method_number(made.node)?;
        let caller = self.calls.sites.method_name(number)?;
        let calls = calls_in(self.code.fields.pool()?, &caller, name, descriptor, line.map(u32::from))?;
        Some(calls.into_iter().map(|(_, arguments)| arguments).collect())
    }

    /// What led to a moment: the last condition on which the position of a frame of its stack depends, or the
    /// exception whose handler the frame is in (DESIGN §5.6).
    ///
    /// # Errors
    /// A class file is missing, or the events cannot be read.
    pub fn why_here(&mut self, moment: Moment) -> Result<Cause, PastError> {
        let (mut frame, mut through_unrecorded) = (moment.at, false);
        loop {
            if let Some(cause) = self.decided(frame)? {
                return Ok(Cause { through_unrecorded, ..cause });
            }
            match self.calls.made_at(frame.node) {
                Some(made) => {
                    through_unrecorded |= self.is_called_by_others(made, frame.node)?;
                    frame = made;
                }
                None => return self.cause(CauseKind::Called, frame, None),
            }
        }
    }

    /// The last condition or exception of a call that led to one of its events; `None` if there is none.
    fn decided(&mut self, frame: EventPosition) -> Result<Option<Cause>, PastError> {
        let nowhere = || PastError::NoStep("this frame was not recorded".to_owned());
        let index = self.code.index(&mut self.calls, frame)?.ok_or_else(nowhere)?;
        let depends = self.depends(index).map_err(PastError::NoStep)?;
        let mut last = None;
        self.calls.events_until(frame, |_, seen| {
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
            Some((at, _, _, Some(thrown), line)) => return self.caught(at, thrown, line).map(Some),
            _ => return Ok(None),
        };
        let name = self.calls.sites.method_name(index.0).ok_or_else(nowhere)?;
        let text = self.text_of(&name, line);
        let nothing = SourceRoots::open(&[], Path::new("."), None);
        let pool = self.code.pool().map_err(PastError::NoStep)?;
        let book = CodeBook { pool, sources: self.code.sources.as_ref().unwrap_or(&nothing) };
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
        self.cause(kind, at, line).map(Some)
    }

    /// The throw of an exception that a handler caught at a position.
    fn caught(&mut self, at: EventPosition, thrown: Value, line: Option<u16>) -> Result<Cause, PastError> {
        let text = shown(&thrown, &self.calls.objects);
        let place = self.calls.last_event_before(at, |_, seen| {
            matches!(seen.site.what, Traced::Throw | Traced::Raised) && seen.values.first() == Some(&thrown)
        })?;
        let line = if place.is_some() { None } else { line };
        self.cause(CauseKind::Caught { exception: text }, place.unwrap_or(at), line)
    }

    /// The branches and handlers on which a code index depends.
    fn depends(&self, (method, bci): CodeIndex) -> Result<Dependences, String> {
        let pool = self.code.pool()?;
        let unknown = || "the class file of this method is not there any more".to_owned();
        let method = self.calls.sites.method(method).ok_or_else(unknown)?;
        let class = pool.find(&method.class).ok().flatten().ok_or_else(unknown)?;
        let found = class.file.method(&method.name, &method.descriptor);
        let code = found.and_then(|found| found.code.as_ref()).ok_or_else(unknown)?;
        Ok(ControlDependence::new(code).of(bci))
    }

    fn text_of(&self, method: &MethodName, line: Option<u16>) -> Option<String> {
        let recorded = self.calls.sites.methods().iter();
        let source = recorded.filter(|m| *m.class == *method.class).find_map(|m| m.source.clone());
        let text = self.code.sources.as_ref()?.find(&method.class, source.as_deref(), None)?;
        Some(text.line(line?.into())?.trim().to_owned())
    }

    fn cause(&mut self, kind: CauseKind, at: EventPosition, line: Option<u16>) -> Result<Cause, PastError> {
        let frame = self.frame(at, true)?;
        let line = line.or(frame.line);
        let name = self.calls.method_number(at.node);
        let name = name.and_then(|number| self.calls.sites.method_name(number));
        let text = name.and_then(|name| self.text_of(&name, line));
        let selection = self.selection_of(at)?;
        let through_unrecorded = false;
        Ok(Cause {
            kind,
            at,
            selection,
            through_unrecorded,
            method: frame.name,
            source: frame.source,
            line,
            text,
        })
    }
}
