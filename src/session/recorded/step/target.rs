//! What a name means to one who stands at an event.

use super::Stepper;
use crate::inspect::InspectError;
use crate::inspect::history::Variable;
use crate::inspect::state::Around;
use crate::session::error::SessionError;
use crate::trace::{CONTENTS, Traced, Value};

/// A variable by its name, as one who stands somewhere sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A local variable or parameter of a call.
    Local(u32, String),
    /// Parts of an object; of 0: static fields.
    Parts(u32, Vec<u32>),
}

impl Stepper<'_> {
    /// What a name means here.
    pub(super) fn target(&mut self, text: &str) -> Result<Target, SessionError> {
        let unknown = || InspectError::NoVariable(text.to_owned());
        if text.contains('@') {
            let variable = Variable::parse(text)?;
            variable.check(text, &self.trace.calls)?;
            let (object, parts) = variable.parts(&self.trace.calls);
            return Ok(Target::Parts(object, parts));
        }
        let mut words = Path::parse(text).ok_or_else(unknown)?;
        let locals = self.locals()?;
        let this = self.this()?;
        let mut value = if words.head == "this" {
            Some(Value::Object(this.unwrap_or(0)))
        } else if let Some((_, value, _)) = locals.iter().find(|(name, ..)| *name == words.head) {
            if words.rest.is_empty() {
                return Ok(Target::Local(self.at.node, words.head));
            }
            Some(*value)
        } else {
            let of_this = this.map(|this| self.fields(this, &words.head)).unwrap_or_default();
            if of_this.is_empty() {
                if words.rest.is_empty() && self.is_assigned(&words.head)? {
                    return Ok(Target::Local(self.at.node, words.head));
                }
                let (object, parts) = Variable::parse(text)?.parts(&self.trace.calls);
                let is_known =
                    parts.iter().any(|part| !self.trace.calls.write_rows(object, *part).is_empty());
                return if is_known { Ok(Target::Parts(object, parts)) } else { Err(unknown().into()) };
            }
            words.rest.insert(0, Word::Field(words.head.clone()));
            this.map(Value::Object)
        };
        let when = self.trace.calls.when_at(self.at)?;
        let mut target = None;
        for word in words.rest {
            let Some(Value::Object(object)) = value.filter(|value| *value != Value::Object(0)) else {
                return Err(unknown().into());
            };
            let parts = match word {
                Word::Field(name) => self.fields(object, &name),
                Word::Element(index) => vec![index],
            };
            let calls = &mut self.trace.calls;
            value = match parts.first() {
                Some(part) => Around::of(calls, &calls.write_rows(object, *part), when)?.value,
                None => None,
            };
            target = Some(Target::Parts(object, parts));
        }
        target
            .filter(|target| !matches!(target, Target::Parts(_, parts) if parts.is_empty()))
            .ok_or_else(|| unknown().into())
    }

    /// Whether this call assigns a local variable of that name anywhere, also where it has no value yet.
    fn is_assigned(&mut self, name: &str) -> Result<bool, SessionError> {
        let calls = &mut self.trace.calls;
        let Some(begin) = calls.entry(self.at.node) else { return Ok(false) };
        let mut found = false;
        calls.events_after(begin, |_, seen| {
            let is_it = seen.site.written.as_ref().is_some_and(|written| written.name == name);
            found |= is_it && matches!(seen.site.what, Traced::Local { .. });
            !found
        })?;
        Ok(found)
    }

    /// The collection that a variable refers to here, if what that holds was recorded.
    pub(super) fn collection(&mut self, target: &Target) -> Result<Option<u32>, SessionError> {
        let value = match target {
            Target::Local(node, name) if *node == self.at.node => {
                self.locals()?.into_iter().find(|(known, ..)| known == name).map(|(_, value, _)| value)
            }
            Target::Local(..) => None,
            Target::Parts(object, parts) => {
                let calls = &mut self.trace.calls;
                let when = calls.when_at(self.at)?;
                match parts.first().filter(|part| **part != CONTENTS) {
                    Some(part) => Around::of(calls, &calls.write_rows(*object, *part), when)?.value,
                    None => None,
                }
            }
        };
        Ok(match value {
            Some(Value::Object(object)) if self.trace.calls.has_contents(object) => Some(object),
            _ => None,
        })
    }

    /// The fields of an object that have a name.
    fn fields(&self, object: u32, name: &str) -> Vec<u32> {
        Variable::Field(object, name.to_owned())
            .parts(&self.trace.calls)
            .1
            .into_iter()
            .filter(|part| !self.trace.calls.write_rows(object, *part).is_empty())
            .collect()
    }
}

/// `this.next.items[3]`.
struct Path {
    head: String,
    rest: Vec<Word>,
}

enum Word {
    Field(String),
    Element(u32),
}

impl Path {
    fn parse(text: &str) -> Option<Path> {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (head, mut text) = text.split_at(end);
        let mut rest = Vec::new();
        while !text.is_empty() {
            let (word, more) = match text.strip_prefix('[') {
                Some(inside) => {
                    let (index, more) = inside.split_once(']')?;
                    (Word::Element(index.trim().parse().ok()?), more)
                }
                None => {
                    let name = text.strip_prefix('.')?;
                    let end = name.find(['.', '[']).unwrap_or(name.len());
                    let (name, more) = name.split_at(end);
                    (Word::Field(Some(name).filter(|name| !name.is_empty())?.to_owned()), more)
                }
            };
            rest.push(word);
            text = more;
        }
        (!head.is_empty()).then(|| Path { head: head.to_owned(), rest })
    }
}
