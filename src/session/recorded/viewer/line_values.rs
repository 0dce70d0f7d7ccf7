//! What each line of a call did: how often it ran, and which values it assigned last.

use super::{RecordedViewer, Selection};
use crate::inspect::event::event;
use crate::session::error::SessionError;
use crate::session::recorded::SourceLine;
use crate::session::recorded::debugger::Which;
use crate::trace::{EventPosition, Traced, WalkControl};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long the events of a call may be read.
const READING: Duration = Duration::from_millis(60);
/// How often the time is looked at, in events.
const LOOK: u64 = 4096;
/// Maximum number of values that are shown at a line.
const VALUES: usize = 6;

/// The lines of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LinesShown {
    /// The class of the call's method.
    pub class: String,
    /// The source file, if the class file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line of the selected event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<u32>,
    /// The lines that ran, in ascending order.
    pub lines: Vec<LineShown>,
    /// Whether all events of the call were read. Otherwise lines ran more often than is said.
    pub complete: bool,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LineShown {
    /// Its number.
    pub line: u32,
    /// How often it ran in the call.
    pub count: u64,
    /// The values that it assigned last, up to the selected event.
    pub values: Vec<LineValue>,
}

/// A value that a line assigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineValue {
    /// The variable: `x`, `Rec@7.bar`, `int[3]@9[2]`.
    pub name: String,
    /// The value.
    pub value: String,
}

/// A line while the events of its call are read.
#[derive(Default)]
struct ReadLine {
    count: u64,
    /// The last event that wrote each variable: a local by its name, a part by its object.
    written: IndexMap<Written, EventPosition>,
}

/// A variable that a line writes.
#[derive(PartialEq, Eq, Hash)]
enum Written {
    Local(String),
    Part { site: u32, object: Option<u64>, index: Option<i32> },
}

impl RecordedViewer {
    /// The lines of the selected call.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn lines(&mut self, selection: Selection) -> Result<LinesShown, SessionError> {
        let at = self.position(selection)?;
        let here = self.line_at(at)?;
        let end = Instant::now() + READING;
        let calls = &mut self.trace().calls;
        let (mut read, mut seen_events, mut complete) = (BTreeMap::<u32, ReadLine>::new(), 0_u64, true);
        if let Some(entry) = calls.entry(at.node) {
            calls.events_after(entry, |_, seen| {
                seen_events += 1;
                complete = !seen_events.is_multiple_of(LOOK) || Instant::now() < end;
                if seen.node != Some(at.node) {
                    return complete;
                }
                let place = seen.position();
                let is_until = place.is_some_and(|place| place.is_before(at));
                match (seen.site.what, seen.line()) {
                    (Traced::Line(line), _) => read.entry(line.into()).or_default().count += 1,
                    (what, Some(line)) if is_until => {
                        let number = |at: usize| seen.values.get(at).copied();
                        let written = match what {
                            Traced::Local { .. } => {
                                seen.site.written.as_ref().map(|written| Written::Local(written.name.clone()))
                            }
                            Traced::Put | Traced::PutStatic | Traced::Element(_) => Some(Written::Part {
                                site: seen.site.bci,
                                object: number(0).and_then(object),
                                index: number(1)
                                    .and_then(index)
                                    .filter(|_| matches!(what, Traced::Element(_))),
                            }),
                            _ => None,
                        };
                        if let (Some(written), Some(place)) = (written, place) {
                            let values = &mut read.entry(line.into()).or_default().written;
                            values.shift_remove(&written);
                            values.insert(written, place);
                        }
                    }
                    _ => {}
                }
                complete
            })?;
        }
        let mut lines = Vec::new();
        for (line, of) in read {
            let mut values = Vec::new();
            for place in of.written.values().rev().take(VALUES).rev() {
                values.extend(self.value_at(*place)?);
            }
            lines.push(LineShown { line, count: of.count, values });
        }
        let method = self.recording().calls.method(at.node);
        let class = method.map(|method| method.class.to_string()).unwrap_or_default();
        let file = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        Ok(LinesShown { class, file, here, lines, complete })
    }

    /// The execution of a line nearest to the selected event, in its thread.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn execution(
        &mut self,
        selection: Selection,
        line: &SourceLine,
        which: Which,
    ) -> Result<Option<Selection>, SessionError> {
        let at = self.position(selection)?;
        self.debugger.to_event(at)?;
        let found = self.debugger.execution(line, which)?;
        found.map(|at| self.selection_of(at)).transpose()
    }

    /// The line in execution after the selected event, and the number of its executions before that one.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn line_execution(
        &mut self,
        selection: Selection,
    ) -> Result<Option<(SourceLine, i64)>, SessionError> {
        let at = self.position_after(selection)?;
        let calls = &mut self.trace().calls;
        let mut last = None;
        if let Some(entry) = calls.entry(at.node) {
            calls.events_after(entry, |_, seen| {
                let Some(place) = seen.position().filter(|place| place.node == at.node) else { return true };
                let is_until = place.is_before(at);
                if let (true, Traced::Line(line)) = (is_until, seen.site.what) {
                    last = Some((place, u32::from(line)));
                }
                is_until
            })?;
        }
        let Some((at, line)) = last else { return Ok(None) };
        let class = calls.method(at.node).map(|method| method.class.to_string()).unwrap_or_default();
        let line = SourceLine { class, line };
        let when = calls.when_at(at)?;
        let mut before = 0;
        for (thread, ..) in calls.threads() {
            calls.walk(thread, None, |calls, seen| {
                if seen.when() >= when {
                    return WalkControl::Stop;
                }
                before += i64::from(line.is_at(calls, seen));
                WalkControl::Next
            })?;
        }
        Ok(Some((line, before)))
    }

    /// The variable that an event writes, and its value.
    fn value_at(&mut self, at: EventPosition) -> Result<Option<LineValue>, SessionError> {
        let shown = self.trace().calls.event_at(at, event)?;
        Ok(shown.and_then(|shown| {
            let of = shown.object.or(shown.declared_by);
            let name = match (of, shown.name, shown.index) {
                (Some(of), Some(name), _) => format!("{of}.{name}"),
                (Some(of), None, Some(index)) => format!("{of}[{index}]"),
                (_, Some(name), _) => name,
                _ => return None,
            };
            Some(LineValue { name, value: shown.new? })
        }))
    }
}

fn object(value: crate::trace::Value) -> Option<u64> {
    match value {
        crate::trace::Value::Object(object) => Some(object.into()),
        _ => None,
    }
}

fn index(value: crate::trace::Value) -> Option<i32> {
    match value {
        crate::trace::Value::Int(index) => Some(index),
        _ => None,
    }
}
