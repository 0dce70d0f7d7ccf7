//! `events`: what happened in a recorded call.

use super::handle::{CallHandle, TraceHandle, object};
use super::level::LevelWord;
use super::{ROWS, Tool, Workbench, Works, offset};
use crate::CommandError;
use past::{EventShown, EventsShown};
use recorded::EventsRequest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Context;

/// Arguments of `events`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Events {
    #[allow(missing_docs)]
    pub trace: Option<TraceHandle>,
    #[allow(missing_docs)]
    pub call: CallHandle,
    #[allow(missing_docs)]
    pub level: Option<LevelWord>,
    #[allow(missing_docs)]
    pub cursor: Option<String>,
}

/// Result of `events`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventsResult {
    /// The recording.
    pub trace: String,
    /// The call.
    #[schemars(skip)]
    pub call: CallHandle,
    /// Its events.
    pub events: Vec<EventRow>,
    /// The cursor of the rows behind these.
    #[schemars(skip)]
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The call as the session shows it, with its thread and source file, and no events.
    #[schemars(skip)]
    #[serde(skip)]
    pub shown: Box<EventsShown>,
    /// What to call next.
    #[schemars(skip)]
    pub next: String,
}

/// An event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EventRow {
    /// The event: `event:12.4`.
    pub event: String,
    /// Its kind.
    pub kind: &'static str,
    /// Its source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// The field or variable.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The object.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The value before.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The value after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The call, for a call.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallHandle>,
    /// The event as the session shows it.
    #[schemars(skip)]
    #[serde(skip)]
    pub shown: EventShown,
}

impl Tool for Events {
    type Output = EventsResult;

    const NAME: &'static str = "events";
    const ABOUT: &'static str = "What happened in a call, in order";
    const RUNS: bool = true;
}

impl Works for Events {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<EventsResult, CommandError> {
        let skip = offset(self.cursor.as_deref())?;
        let (trace, open) = bench.trace(self.trace.as_ref(), context).await?;
        let asked =
            EventsRequest { node: self.call.0, limit: skip + ROWS, level: self.level.map(Into::into) };
        let mut shown = Box::pin(recorded::events(open, &asked, context)).await?;
        let found = std::mem::take(&mut shown.events);
        let more = shown.more.then(|| (skip + ROWS).to_string());
        let rows = (1_usize..).zip(found).skip(skip);
        let events = rows.map(|(number, event)| row(self.call.0, number, event)).collect();
        let missing = std::mem::take(&mut shown.missing);
        let next = "why at=event:… asks backwards from an event; history for a variable".to_owned();
        Ok(EventsResult { trace, call: self.call, events, more, missing, shown: Box::new(shown), next })
    }
}

fn row(call: u32, number: usize, event: EventShown) -> EventRow {
    EventRow {
        event: format!("event:{call}.{number}"),
        kind: event.event,
        line: event.line,
        name: event.name.clone(),
        object: event.object.as_deref().and_then(object),
        old: event.old.clone(),
        new: event.new.clone(),
        call: event.call.as_ref().map(|call| CallHandle(call.node)),
        shown: event,
    }
}
