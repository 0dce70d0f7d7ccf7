//! Finds the position of a field in a chain's text. It parses the text again with raw values that borrow from
//! the text. So the same library that reads the file also gives the positions.

use super::error::Fault;
use super::ron_options::options;
use super::validate::{DebuggeeField, PointField, Problem, ProblemPlace, QueryField};
use ron::value::RawValue;
use serde::Deserialize;
use std::ops::Range;

#[derive(Deserialize)]
struct RawChain<'a> {
    #[serde(borrow)]
    format: &'a RawValue,
    #[serde(borrow)]
    debuggee: &'a RawValue,
    #[serde(borrow, default)]
    alive: Option<&'a RawValue>,
    #[serde(borrow, default)]
    points: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    level: Option<&'a RawValue>,
    #[serde(borrow, default)]
    queries: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawQuery<'a> {
    #[serde(borrow)]
    ask: &'a RawValue,
    #[serde(borrow, default)]
    expect: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RawDebuggee<'a> {
    #[serde(borrow, default)]
    command: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attach: Option<&'a RawValue>,
    #[serde(borrow, default)]
    relaunch: Option<&'a RawValue>,
    #[serde(borrow, default)]
    jvm: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stdin: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ready: Option<&'a RawValue>,
}

macro_rules! raw_point {
    ($($field:ident),*) => {
        #[derive(Deserialize)]
        struct RawPoint<'a> {
            #[serde(borrow)]
            id: &'a RawValue,
            #[serde(borrow)]
            at: &'a RawValue,
            $(#[serde(borrow, default)] $field: Option<&'a RawValue>,)*
        }
    };
}
raw_point!(text, method, ordinal, when, index, before, after, within, thread, from, caught, collect, expect);

/// The parts of a text.
pub(super) struct Spans<'a> {
    text: &'a str,
    chain: Option<RawChain<'a>>,
}

impl<'a> Spans<'a> {
    /// The parts of a text that was already parsed as a chain.
    pub(super) fn of(text: &'a str) -> Spans<'a> {
        Spans { text, chain: options().from_str(text).ok() }
    }

    /// A problem with its position in the text; the start of the text if the position is not found.
    pub(super) fn fault(&self, problem: Problem) -> Fault {
        let span = self.span(&problem).unwrap_or(0..0);
        Fault { span, message: problem.message, help: problem.help }
    }

    fn span(&self, problem: &Problem) -> Option<Range<usize>> {
        let chain = self.chain.as_ref()?;
        match problem.place {
            ProblemPlace::Whole => None,
            ProblemPlace::Format => trimmed(self.text, chain.format),
            ProblemPlace::Debuggee(field) => {
                let raw = chain.debuggee;
                let parts = options().from_str::<RawDebuggee>(raw.get_ron()).ok();
                let field = parts.and_then(|parts| match field {
                    DebuggeeField::Command => parts.command,
                    DebuggeeField::Attach => parts.attach,
                    DebuggeeField::Relaunch => parts.relaunch,
                    DebuggeeField::Jvm => parts.jvm,
                    DebuggeeField::Stdin => parts.stdin,
                    DebuggeeField::Ready => parts.ready,
                });
                // For a missing field, point at the whole debuggee.
                trimmed(self.text, field.unwrap_or(raw))
            }
            ProblemPlace::Alive => trimmed(self.text, chain.alive?),
            ProblemPlace::Level => trimmed(self.text, chain.level?),
            ProblemPlace::Query(index, field) => {
                let raw: &RawValue = chain.queries.get(index)?;
                let parts = options().from_str::<RawQuery>(raw.get_ron()).ok();
                let field = parts.and_then(|parts| match field {
                    QueryField::Ask => Some(parts.ask),
                    QueryField::Expect => parts.expect,
                });
                trimmed(self.text, field.unwrap_or(raw))
            }
            ProblemPlace::Point(index, field) => {
                let raw: &RawValue = chain.points.get(index)?;
                let Ok(parts) = options().from_str::<RawPoint>(raw.get_ron()) else {
                    return trimmed(self.text, raw);
                };
                let field = match field {
                    PointField::Whole => return trimmed(self.text, raw),
                    PointField::Id => Some(parts.id),
                    PointField::At => Some(parts.at),
                    PointField::Text => parts.text,
                    PointField::Method => parts.method,
                    PointField::Ordinal => parts.ordinal,
                    PointField::When => parts.when,
                    PointField::Before => parts.before,
                    PointField::After => parts.after,
                    PointField::Within => parts.within,
                    PointField::From => parts.from,
                    PointField::Caught => parts.caught,
                    PointField::Index => parts.index,
                    PointField::Thread => parts.thread,
                    PointField::Expect => parts.expect,
                    PointField::Collect(entry) => {
                        let list = parts.collect?.get_ron();
                        let entries = options().from_str::<Vec<&RawValue>>(list).ok()?;
                        return inside(self.text, entries.get(entry)?, problem.inside());
                    }
                };
                inside(self.text, field?, problem.inside())
            }
        }
    }
}

/// The span of a raw part of a text, without surrounding blanks and comments.
pub fn trimmed(text: &str, raw: &RawValue) -> Option<Range<usize>> {
    let part = raw.trim().get_ron();
    // The part borrows from the text, so its address gives its offset.
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let range = start..start + part.len();
    text.get(range.clone()).map(|_| range)
}

/// The span of a column (in characters, from 1) of a string inside a raw part of a text, or of the whole
/// part.
pub fn inside(text: &str, raw: &RawValue, at: Option<(&str, usize)>) -> Option<Range<usize>> {
    let whole = trimmed(text, raw)?;
    let Some((wanted, column)) = at else { return Some(whole) };
    let part = text.get(whole.clone())?;
    // A string with escapes is not found verbatim; then the whole span is returned.
    let Some(at) = part.find(&format!("\"{wanted}\"")) else { return Some(whole) };
    let offset = wanted.char_indices().nth(column.saturating_sub(1)).map_or(wanted.len(), |(o, _)| o);
    let start = whole.start + at + 1 + offset;
    let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    Some(start..start + length)
}
