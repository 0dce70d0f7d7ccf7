//! Resolves a variable's name at an event.

use crate::error::SessionError;
use inspect::InspectError;
use inspect::history::{Variable as NamedPart, check_element};
use inspect::locals::{KnownLocals, LocalValue};
use inspect::state::NearestWrites;
use trace::{CONTENTS, Calls, EventPosition, TEXT, TraceError, Traced, Value};

/// A variable of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Variable {
    /// A local variable or parameter of a call.
    Local(u32, String),
    /// Fields or elements of an object; for object 0, static fields.
    Parts(u32, Vec<u32>),
}

/// An event with the variables in scope there.
pub(super) struct EventScope<'a> {
    pub(super) calls: &'a mut Calls,
    pub(super) at: EventPosition,
    /// The variables of the call before the event.
    pub(super) locals: Vec<LocalValue>,
    /// The object that the call was made on.
    pub(super) this: Option<u32>,
}

impl<'a> EventScope<'a> {
    /// The scope of an event, with what is known of the variables of its call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn of(
        calls: &'a mut Calls,
        at: EventPosition,
        known: Option<&KnownLocals>,
    ) -> Result<EventScope<'a>, SessionError> {
        let this = calls.call(at.node)?.and_then(|call| call.this).filter(|this| *this != 0);
        Ok(EventScope { calls, at, locals: known.map(KnownLocals::list).unwrap_or_default(), this })
    }
}

impl EventScope<'_> {
    /// Resolves a name.
    ///
    /// # Errors
    /// No variable has this name, or the events cannot be read.
    pub(super) fn variable(&mut self, text: &str) -> Result<Variable, SessionError> {
        let unknown = || InspectError::NoVariable(text.to_owned());
        if text.contains('@') {
            let variable = NamedPart::parse(text)?;
            variable.check(text, self.calls)?;
            let (object, parts) = variable.parts(self.calls);
            return Ok(Variable::Parts(object, parts));
        }
        let mut path = VariablePath::parse(text).ok_or_else(unknown)?;
        let this = self.this;
        let mut value = if path.head == "this" {
            Some(Value::Object(this.unwrap_or(0)))
        } else if let Some(LocalValue { value, .. }) = self.local(&path.head) {
            if path.rest.is_empty() {
                return Ok(Variable::Local(self.at.node, path.head));
            }
            Some(*value)
        } else {
            let of_this = this.map_or_else(|| Ok(Vec::new()), |this| self.fields(this, &path.head))?;
            if of_this.is_empty() {
                if path.rest.is_empty() && self.is_assigned(&path.head)? {
                    return Ok(Variable::Local(self.at.node, path.head));
                }
                let (object, parts) = NamedPart::parse(text)?.parts(self.calls);
                let mut is_known = false;
                for part in &parts {
                    is_known |= self.calls.is_ever_written(object, *part)?;
                }
                return if is_known { Ok(Variable::Parts(object, parts)) } else { Err(unknown().into()) };
            }
            path.rest.insert(0, PathStep::Field(path.head.clone()));
            this.map(Value::Object)
        };
        let when = self.calls.when_at(self.at)?;
        let mut variable = None;
        for step in path.rest {
            let Some(Value::Object(object)) = value.filter(|value| *value != Value::Object(0)) else {
                return Err(unknown().into());
            };
            let parts = match step {
                PathStep::Field(name) => self.fields(object, &name)?,
                PathStep::Element(index) => {
                    check_element(text, object, self.calls)?;
                    vec![index]
                }
            };
            let calls = &mut *self.calls;
            value = match parts.first() {
                Some(part) => NearestWrites::of(calls, &calls.write_rows(object, *part)?, when)?.value,
                None => None,
            };
            variable = Some(Variable::Parts(object, parts));
        }
        variable
            .filter(|variable| !matches!(variable, Variable::Parts(_, parts) if parts.is_empty()))
            .ok_or_else(|| unknown().into())
    }

    /// Whether this call ever assigns a local variable of this name. It may have no value yet.
    fn is_assigned(&mut self, name: &str) -> Result<bool, SessionError> {
        let calls = &mut *self.calls;
        let Some(begin) = calls.entry(self.at.node) else { return Ok(false) };
        let mut found = false;
        calls.events_after(begin, |_, seen| {
            let is_it = seen.site.written.as_ref().is_some_and(|written| written.name == name);
            found |= is_it && matches!(seen.site.what, Traced::Local { .. });
            !found
        })?;
        Ok(found)
    }

    /// The collection, builder or stream that a variable refers to here, if its contents were recorded,
    /// and their part.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn collection(&mut self, variable: &Variable) -> Result<Option<(u32, u32)>, SessionError> {
        let value = match variable {
            Variable::Local(node, name) if *node == self.at.node => self.local(name).map(|local| local.value),
            Variable::Local(..) => None,
            Variable::Parts(object, parts) => {
                let calls = &mut *self.calls;
                let when = calls.when_at(self.at)?;
                match parts.first().filter(|part| ![CONTENTS, TEXT].contains(*part)) {
                    Some(part) => NearestWrites::of(calls, &calls.write_rows(*object, *part)?, when)?.value,
                    None => None,
                }
            }
        };
        Ok(match value {
            Some(Value::Object(object)) if self.calls.has_contents(object)? => Some((object, CONTENTS)),
            Some(Value::Object(object)) if self.calls.has_text(object)? => {
                Some((self.calls.text_owner(object)?, TEXT))
            }
            _ => None,
        })
    }

    /// The value of a variable before the event; `None` if it is not known.
    ///
    /// # Errors
    /// A local variable has no value yet, or the events cannot be read.
    pub(super) fn value(&mut self, variable: &Variable) -> Result<Option<Value>, SessionError> {
        Ok(match variable {
            Variable::Local(_, name) => {
                let local = self.local(name).map(|local| local.value);
                Some(local.ok_or_else(|| InspectError::NoValueYet(name.clone()))?)
            }
            Variable::Parts(object, parts) => match parts.first() {
                Some(part) => {
                    let when = self.calls.when_at(self.at)?;
                    NearestWrites::of(self.calls, &self.calls.write_rows(*object, *part)?, when)?.value
                }
                None => None,
            },
        })
    }

    /// The parameter or local variable of this name.
    pub(super) fn local(&self, name: &str) -> Option<&LocalValue> {
        self.locals.iter().find(|local| local.name == name)
    }

    /// The fields of an object that have this name.
    fn fields(&self, object: u32, name: &str) -> Result<Vec<u32>, TraceError> {
        let mut parts = NamedPart::Field(object, name.to_owned()).parts(self.calls).1;
        let mut written = Vec::new();
        for part in parts.drain(..) {
            if self.calls.is_ever_written(object, part)? {
                written.push(part);
            }
        }
        Ok(written)
    }
}

/// A path as in `this.next.items[3]`.
struct VariablePath {
    head: String,
    rest: Vec<PathStep>,
}

enum PathStep {
    Field(String),
    Element(u32),
}

impl VariablePath {
    fn parse(text: &str) -> Option<VariablePath> {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (head, mut text) = text.split_at(end);
        let mut rest = Vec::new();
        while !text.is_empty() {
            let (step, more) = match text.strip_prefix('[') {
                Some(inside) => {
                    let (index, more) = inside.split_once(']')?;
                    (PathStep::Element(index.trim().parse().ok()?), more)
                }
                None => {
                    let name = text.strip_prefix('.')?;
                    let end = name.find(['.', '[']).unwrap_or(name.len());
                    let (name, more) = name.split_at(end);
                    (PathStep::Field(Some(name).filter(|name| !name.is_empty())?.to_owned()), more)
                }
            };
            rest.push(step);
            text = more;
        }
        (!head.is_empty()).then(|| VariablePath { head: head.to_owned(), rest })
    }
}
