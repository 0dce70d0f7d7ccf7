//! Log points over a recording: all hits are in the past, so their texts are printed at once.

use crate::breakpoints::Breakpoints;
use crate::error::PastError;
use crate::hits::Hits;
use crate::recording::Recording;
use trace::{EventPosition, EventTime};

/// Maximum number of hits that are printed.
const PRINTED: usize = 1000;

/// A hit of a log point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedHit {
    /// Its text.
    pub text: String,
    /// The name of the source file, if it is known.
    pub file: Option<String>,
    /// Its line.
    pub line: Option<u16>,
}

/// What a log point prints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Printed {
    /// The first hits, in the order of the program.
    pub hits: Vec<PrintedHit>,
    /// The number of hits after these.
    pub left_out: usize,
}

impl Recording {
    /// What a log point prints.
    ///
    /// # Errors
    /// There is no such log point, its text is not well formed, the events cannot be read, or the user
    /// interrupted.
    pub fn log(
        &mut self,
        id: i64,
        breakpoints: &mut Breakpoints,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Printed, PastError> {
        let none = || PastError::NoStep("there is no such log point".to_owned());
        let index = breakpoints.all.iter().position(|known| known.id == id).ok_or_else(none)?;
        let breakpoint = breakpoints.all.get_mut(index).ok_or_else(none)?;
        let message = breakpoint.request.log.clone().ok_or_else(none)?;
        let count = breakpoint.request.hits;
        let parts = parts_of(&message);
        let threads: Vec<u32> = self.calls.threads().into_iter().map(|(number, ..)| number).collect();
        let breakpoints = vec![breakpoint];
        let mut hits = Hits { recording: &mut *self, breakpoints, until: None, is_interrupted };
        let mut all: Vec<(EventTime, EventPosition)> = Vec::new();
        let mut left_out = 0;
        for thread in threads {
            let (mut number, mut found) = (0, Vec::new());
            hits.each_hit_of(0, thread, &mut |at| {
                number += 1;
                if count.is_none_or(|count| count.includes(number)) {
                    match found.len() < PRINTED {
                        true => found.push(at),
                        false => left_out += 1,
                    }
                }
                true
            })?;
            for at in found {
                all.push((hits.recording.calls.when_at(at)?, at));
            }
        }
        all.sort_by_key(|(when, _)| *when);
        left_out += all.len().saturating_sub(PRINTED);
        all.truncate(PRINTED);
        let mut printed = Printed { hits: Vec::new(), left_out };
        for (_, at) in all {
            printed.hits.push(self.printed(&parts, at)?);
        }
        Ok(printed)
    }

    fn printed(&mut self, parts: &[MessagePart], at: EventPosition) -> Result<PrintedHit, PastError> {
        let mut text = String::new();
        for part in parts {
            let expression = match part {
                MessagePart::Text(plain) => {
                    text.push_str(plain);
                    continue;
                }
                MessagePart::Expression(expression) => expression,
            };
            let value = match self.compile(at, expression)? {
                Ok(compiled) => self.value(at, &compiled)?,
                Err(why) => Err(why),
            };
            match value {
                Ok(value) => text.push_str(&value.text),
                Err(why) => text.push_str(&format!("{{{expression}: {why}}}")),
            }
        }
        let calls = &mut self.calls;
        let line = calls.event_at(at, |_, seen| seen.line())?.flatten();
        let method = calls.method(at.node);
        let file = method.and_then(|method| method.source.as_ref().map(ToString::to_string));
        Ok(PrintedHit { text, file, line })
    }
}

/// A part of a log point's message.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MessagePart {
    Text(String),
    /// What stands in braces.
    Expression(String),
}

fn parts_of(message: &str) -> Vec<MessagePart> {
    let (mut parts, mut rest) = (Vec::new(), message);
    while let Some((plain, (inside, behind))) =
        rest.split_once('{').and_then(|(plain, rest)| Some((plain, rest.split_once('}')?)))
    {
        parts.push(MessagePart::Text(plain.to_owned()));
        parts.push(MessagePart::Expression(inside.trim().to_owned()));
        rest = behind;
    }
    parts.push(MessagePart::Text(rest.to_owned()));
    parts
}

#[cfg(test)]
mod tests {
    use super::{MessagePart, parts_of};

    #[test]
    fn braces_hold_expressions() {
        let text = |text: &str| MessagePart::Text(text.to_owned());
        let of = |text: &str| MessagePart::Expression(text.to_owned());
        assert_eq!(parts_of("i = { i }, {a.b}"), [text("i = "), of("i"), text(", "), of("a.b"), text("")]);
        assert_eq!(parts_of("no } brace {"), [text("no } brace {")]);
    }
}
