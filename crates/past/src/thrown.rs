//! The exception at an event.

use crate::error::PastError;
use crate::hits::is_uncaught;
use crate::recording::Recording;
use crate::snapshot::type_name;
use crate::values::shown;
use trace::{EventPosition, Traced, Value};

/// An exception.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrownException {
    /// Its class.
    pub class: String,
    /// It as text, with its message.
    pub shown: String,
    /// Whether it leaves all recorded code.
    pub is_uncaught: bool,
    /// The calls of the stack where it is thrown, the innermost first, as in a stack trace of Java.
    pub stack: Vec<String>,
}

/// Maximum number of calls that are listed.
const CALLS: usize = 100;

impl Recording {
    /// The exception that is thrown at an event; `None` if none is.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn thrown(&mut self, at: EventPosition) -> Result<Option<ThrownException>, PastError> {
        let calls = &mut self.calls;
        let thrown = calls.event_at(at, |_, seen| {
            matches!(seen.site.what, Traced::Throw | Traced::Raised).then(|| seen.values.first().copied())
        })?;
        let Some(Some(Some(value @ Value::Object(object)))) = thrown else { return Ok(None) };
        let class = calls.objects.class(object).map(|class| type_name(class)).unwrap_or_default();
        let text = shown(&value, &calls.objects);
        let is_uncaught = is_uncaught(calls, at)?;
        let (frames, _) = self.stack(at, 0, CALLS)?;
        let stack = frames.iter().map(|frame| match (&frame.source, frame.line) {
            (Some(source), Some(line)) => format!("at {}({}:{line})", frame.name, source.name),
            _ => format!("at {}", frame.name),
        });
        Ok(Some(ThrownException { class, shown: text, is_uncaught, stack: stack.collect() }))
    }
}
