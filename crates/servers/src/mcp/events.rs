//! `events`: what happened in a recorded call.

use super::handle::{CallHandle, TraceHandle};
use super::level::LevelWord;
use super::{ROWS, Tool, Workbench, Works, offset};
use command::CommandError;
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
#[derive(Debug, Serialize)]
pub struct EventsResult {
    /// The recording.
    pub trace: String,
    /// The call.
    pub call: CallHandle,
    /// Its events.
    pub events: Vec<EventRow>,
    /// The cursor of the rows behind these.
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The call as the session shows it, with its thread and source file, and no events.
    #[serde(skip)]
    pub shown: Box<EventsShown>,
    /// What to call next.
    pub next: String,
}

/// An event.
#[derive(Debug, Serialize)]
pub struct EventRow {
    /// Its number in the call, from 1.
    #[serde(skip)]
    pub number: usize,
    /// Where `why` asks from: `event:12.4`.
    pub at: String,
    /// The event.
    #[serde(flatten)]
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
        let row = |(number, shown)| EventRow { number, at: format!("event:{}.{number}", self.call.0), shown };
        let events = (1_usize..).zip(found).skip(skip).map(row).collect();
        let missing = std::mem::take(&mut shown.missing);
        let next = "why at=event:… asks backwards from an event; history for a variable".to_owned();
        Ok(EventsResult { trace, call: self.call, events, more, missing, shown: Box::new(shown), next })
    }
}
