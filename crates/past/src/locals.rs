//! The variables of a call before one of its events.

use super::error::PastError;
use trace::{Calls, EventPosition, Level, Traced, TracedEvent, Value};

/// A parameter or local variable.
pub struct LocalValue {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
    /// Whether it is a parameter whose value differs from that at the entry of the call.
    pub changed: bool,
    /// Whether it is a parameter.
    pub is_parameter: bool,
}

/// The local variables that a call wrote before one of its events. A call can have millions of events, so
/// whoever reads them all can keep some of these, and others go on from there.
#[derive(Clone, Debug)]
pub struct WrittenLocals {
    /// The event.
    pub at: EventPosition,
    /// In the order of their first writes.
    pub written: Vec<WrittenLocal>,
}

/// A local variable with its last write.
#[derive(Clone, Debug)]
pub struct WrittenLocal {
    /// Its name.
    pub name: String,
    /// The descriptor of its type (JVM specification, 4.3.2).
    pub descriptor: String,
    /// Its value.
    pub value: Value,
    /// Its last write.
    pub at: EventPosition,
}

impl WrittenLocals {
    /// At the entry of a call.
    pub fn at_entry(at: EventPosition) -> WrittenLocals {
        WrittenLocals { at, written: Vec::new() }
    }

    /// Takes the next event of the call.
    pub fn see(&mut self, seen: &TracedEvent<'_>) {
        let (Traced::Local { .. }, Some(written), Some(value), Some(at)) =
            (seen.site.what, &seen.site.written, seen.values.first(), seen.position())
        else {
            return;
        };
        match self.written.iter_mut().find(|known| known.name == written.name) {
            Some(known) => (known.value, known.at) = (*value, at),
            None => self.written.push(WrittenLocal {
                name: written.name.clone(),
                descriptor: written.descriptor.clone(),
                value: *value,
                at,
            }),
        }
    }
}

/// The variables of a call before the event `at`. They can be advanced to a later event.
pub struct KnownLocals {
    at: EventPosition,
    /// Names, values, and the values of parameters at the entry.
    held: Vec<(String, Value, Option<Value>)>,
}

impl KnownLocals {
    /// The variables of the call before an event; `None` if its entry was not recorded. A call can have
    /// millions of events, so reading continues from the variables at an earlier event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn before(
        known: Option<KnownLocals>,
        calls: &mut Calls,
        at: EventPosition,
    ) -> Result<Option<KnownLocals>, PastError> {
        let known = known.filter(|known| known.at == at || known.at.is_before(at));
        let known = match known {
            Some(known) => Some(known),
            None => KnownLocals::at_entry(calls, at.node)?,
        };
        let Some(mut known) = known else { return Ok(None) };
        let held = &mut known.held;
        if calls.method(at.node).is_some_and(|method| method.level == Level::All) {
            calls.events_between(known.at, at, |_, seen| {
                let (Traced::Local { .. }, Some(written), Some(value)) =
                    (seen.site.what, &seen.site.written, seen.values.first())
                else {
                    return;
                };
                match held.iter_mut().find(|(name, ..)| *name == written.name) {
                    Some((_, known, _)) => *known = *value,
                    None => held.push((written.name.clone(), *value, None)),
                }
            })?;
        }
        known.at = at;
        Ok(Some(known))
    }

    /// The variables of a call where it has written these; `None` if its entry was not recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn with(calls: &mut Calls, locals: &WrittenLocals) -> Result<Option<KnownLocals>, PastError> {
        let Some(mut known) = KnownLocals::at_entry(calls, locals.at.node)? else { return Ok(None) };
        for local in &locals.written {
            match known.held.iter_mut().find(|(name, ..)| *name == local.name) {
                Some((_, value, _)) => *value = local.value,
                None => known.held.push((local.name.clone(), local.value, None)),
            }
        }
        known.at = locals.at;
        Ok(Some(known))
    }

    fn at_entry(calls: &mut Calls, node: u32) -> Result<Option<KnownLocals>, PastError> {
        let Some(entry) = calls.entry(node) else { return Ok(None) };
        let Some(call) = calls.call(node)? else { return Ok(None) };
        let names = calls.method(node).map(|method| method.parameters.clone()).unwrap_or_default();
        let named = |(at, value): (usize, Value)| {
            let name = names.get(at).cloned().flatten();
            (name.unwrap_or_else(|| format!("argument {}", at + 1)), value, Some(value))
        };
        let held = call.arguments.into_iter().enumerate().map(named).collect();
        Ok(Some(KnownLocals { at: entry, held }))
    }

    /// The variables in the order of their first values.
    pub fn list(&self) -> Vec<LocalValue> {
        let one = |(name, value, first): &(String, Value, Option<Value>)| LocalValue {
            name: name.clone(),
            value: *value,
            changed: first.is_some_and(|first| !first.is(*value)),
            is_parameter: first.is_some(),
        };
        self.held.iter().map(one).collect()
    }
}
