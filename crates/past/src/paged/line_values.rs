//! What each line of a call did: how often it ran, and which values it assigned last.

use crate::error::PastError;
use crate::event::{EventShown, event};
use crate::event_ref::EventRef;
use crate::line_counts::LineCounts;
use crate::line_steps::SourceLine;
use crate::moves::Which;
use crate::recording::Recording;
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use trace::{Traced, WalkControl};

/// How long the events of a call may be read on for the first answer about a selection, so that it is there
/// soon, and for each later one.
const FIRST_READING: Duration = Duration::from_millis(5);
const READING: Duration = Duration::from_millis(30);
/// Number of events before the selected one whose values are shown.
const RECENT: u64 = 1500;
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

impl Recording {
    /// The lines of the selected call, with the values that its last events assigned.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn line_values(&mut self, selection: EventRef) -> Result<LinesShown, PastError> {
        let at = self.position(selection)?;
        let here = self.line_at(at)?;
        let known = self.kept.counts.take().filter(|counts| counts.node == at.node);
        let mut counts = known.unwrap_or_else(|| LineCounts {
            node: at.node,
            asked: None,
            last: None,
            counts: BTreeMap::new(),
            is_complete: false,
        });
        let is_first = counts.asked.replace(selection) != Some(selection);
        let reading = if is_first { FIRST_READING } else { READING };
        let read = counts.extend(&mut self.calls, reading);
        let mut lines: BTreeMap<u32, LineShown> = counts
            .counts
            .iter()
            .map(|(line, count)| (*line, LineShown { line: *line, count: *count, values: Vec::new() }))
            .collect();
        let is_counted = counts.is_complete;
        self.kept.counts = Some(counts);
        read?;
        let until = match selection.event {
            Some(event) => Some(event),
            None => {
                let (known, is_whole) = self.known_events(at.node, reading)?;
                is_whole.then_some(known)
            }
        };
        if let Some(until) = until {
            self.add_values(at.node, until, &mut lines)?;
        }
        let complete = is_counted && until.is_some();
        let method = self.calls.method(at.node);
        let class = method.map(|method| method.class.to_string()).unwrap_or_default();
        let file = method.and_then(|method| method.source.as_deref().map(str::to_owned));
        Ok(LinesShown { class, file, here, lines: lines.into_values().collect(), complete })
    }

    /// Adds the values that the events before this number assigned, the last ones of each line.
    fn add_values(
        &mut self,
        node: u32,
        until: u64,
        lines: &mut BTreeMap<u32, LineShown>,
    ) -> Result<(), PastError> {
        let from = until.saturating_sub(RECENT);
        let many = usize::try_from(until - from).unwrap_or(0);
        let mut values: BTreeMap<u32, IndexMap<String, String>> = BTreeMap::new();
        for at in self.events_from(node, from, many)? {
            let calls = &mut self.calls;
            let is_write = calls.event_at(at, |_, seen| {
                matches!(
                    seen.site.what,
                    Traced::Local { .. }
                        | Traced::Put
                        | Traced::Preset
                        | Traced::PutStatic
                        | Traced::Element(_)
                )
            })?;
            if is_write != Some(true) {
                continue;
            }
            let Some(shown) = calls.event_at(at, event)? else { continue };
            let Some((line, LineValue { name, value })) = shown.line.map(u32::from).zip(written(shown))
            else {
                continue;
            };
            let of_line = values.entry(line).or_default();
            // The last value of a variable stands last.
            of_line.shift_remove(&name);
            of_line.insert(name, value);
        }
        for (line, values) in values {
            let shown = lines.entry(line).or_insert_with(|| LineShown { line, ..LineShown::default() });
            let last = values.len().saturating_sub(VALUES);
            shown.values =
                values.into_iter().skip(last).map(|(name, value)| LineValue { name, value }).collect();
        }
        Ok(())
    }

    /// The execution of a line nearest to the selected event, in its thread.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn execution_of(
        &mut self,
        selection: EventRef,
        line: &SourceLine,
        which: Which,
    ) -> Result<Option<EventRef>, PastError> {
        let at = self.position(selection)?;
        let found = self.execution(at, line, which)?;
        found.map(|at| self.selection_of(at)).transpose()
    }

    /// The line in execution after the selected event, and the number of its executions before that one.
    ///
    /// # Errors
    /// There is no such call or event, or the events cannot be read.
    pub fn line_execution(&mut self, selection: EventRef) -> Result<Option<(SourceLine, i64)>, PastError> {
        let at = self.position_after(selection)?;
        let calls = &mut self.calls;
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
}

/// The variable that an event writes, and its value.
fn written(shown: EventShown) -> Option<LineValue> {
    let of = shown.object.or(shown.declared_by);
    let name = match (of, shown.name, shown.index) {
        (Some(of), Some(name), _) => format!("{of}.{name}"),
        (Some(of), None, Some(index)) => format!("{of}[{index}]"),
        (_, Some(name), _) => name,
        _ => return None,
    };
    Some(LineValue { name, value: shown.new? })
}
