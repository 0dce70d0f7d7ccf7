//! The variables of a frame and the parts of objects, as they were at the current position.

use super::RecordedDebugger;
use crate::inspect::locals::KnownLocals;
use crate::inspect::values::shown;
use crate::session::error::SessionError;
use crate::session::recorded::step::ObjectReader;
use crate::trace::Value;

/// A list of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableGroup {
    /// The arguments and local variables of a frame, 0 for the innermost, and `this`.
    Locals(usize),
    /// The fields, elements or contents of an object, by its number.
    Parts(u32),
}

/// A variable, field or element and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldVariable {
    /// Its name.
    pub name: String,
    /// Its value as text; `None` if it is not known.
    pub value: Option<String>,
    /// The object that it refers to, if that has parts.
    pub object: Option<u32>,
    /// Whether its value differs from that at the entry of the call.
    pub changed: bool,
}

impl RecordedDebugger {
    /// The variables of a group.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn variables(&mut self, group: VariableGroup) -> Result<Vec<HeldVariable>, SessionError> {
        match group {
            VariableGroup::Locals(depth) => self.locals(depth),
            VariableGroup::Parts(object) => self.parts(object),
        }
    }

    fn locals(&mut self, depth: usize) -> Result<Vec<HeldVariable>, SessionError> {
        let Some(at) = self.positions().get(depth).copied() else { return Ok(Vec::new()) };
        let calls = &mut self.trace.calls;
        let this = calls.call(at.node)?.and_then(|call| call.this).filter(|this| *this != 0);
        let locals = KnownLocals::before(None, calls, at)?;
        let locals = locals.as_ref().map(KnownLocals::list).unwrap_or_default();
        let locals = locals.into_iter().map(|local| (local.name, local.value, local.changed));
        let this = this.map(|this| ("this".to_owned(), Value::Object(this), false));
        let mut held = Vec::new();
        for (name, value, changed) in this.into_iter().chain(locals) {
            let object = self.with_parts(Some(value))?;
            let value = Some(shown(&value, &self.trace.calls.objects));
            held.push(HeldVariable { name, value, object, changed });
        }
        Ok(held)
    }

    fn parts(&mut self, object: u32) -> Result<Vec<HeldVariable>, SessionError> {
        let at = self.at;
        let calls = &mut self.trace.calls;
        let when = calls.when_at(at)?;
        let (began, _) = calls.span(at.node)?;
        let found = ObjectReader::new(calls, when, began).object(object, 0)?;
        let mut held = Vec::new();
        for part in found.parts {
            let object = self.with_parts(part.held)?;
            held.push(HeldVariable { name: part.name, value: part.value, object, changed: part.changed });
        }
        if found.more {
            let name = "…".to_owned();
            let value = Some("there are more".to_owned());
            held.push(HeldVariable { name, value, object: None, changed: false });
        }
        Ok(held)
    }

    /// The object of a value, if it has fields, elements or contents that were recorded.
    fn with_parts(&self, value: Option<Value>) -> Result<Option<u32>, SessionError> {
        let Some(Value::Object(object)) = value.filter(|value| *value != Value::Object(0)) else {
            return Ok(None);
        };
        let calls = &self.trace.calls;
        let has_parts = calls.part_from(object, 0)?.is_some() || calls.has_contents(object)?;
        Ok(has_parts.then_some(object))
    }
}
