//! `state`: an object when a recorded call began and ended.

use super::handle::{CallHandle, TraceHandle, object, variable};
use super::{ROWS, Tool, Workbench, Works, offset};
use crate::CommandError;
use past::{PartShown, StateRequest, StateShown};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};

/// Arguments of `state`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct State {
    #[allow(missing_docs)]
    pub trace: Option<TraceHandle>,
    #[allow(missing_docs)]
    pub call: CallHandle,
    /// object:7; default `this`
    pub object: Option<String>,
    #[allow(missing_docs)]
    pub cursor: Option<String>,
}

/// Result of `state`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StateResult {
    /// The recording.
    pub trace: String,
    /// The object.
    pub object: String,
    /// Its fields or elements.
    pub parts: Vec<PartRow>,
    /// The cursor of the rows behind these.
    #[schemars(skip)]
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The state as the session shows it, without its parts.
    #[schemars(skip)]
    #[serde(skip)]
    pub shown: Box<StateShown>,
    /// What to call next.
    #[schemars(skip)]
    pub next: String,
}

/// A field or element.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PartRow {
    /// The field, or the index of an element.
    pub name: String,
    /// Its value when the call began.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Its value when the call ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// Number of writes in between.
    #[schemars(skip)]
    pub writes: usize,
    /// The part as the session shows it.
    #[schemars(skip)]
    #[serde(skip)]
    pub shown: PartShown,
}

impl Tool for State {
    type Output = StateResult;

    const NAME: &'static str = "state";
    const ABOUT: &'static str = "An object as a call began and as it ended";
    const RUNS: bool = false;
}

impl Works for State {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<StateResult, CommandError> {
        let skip = offset(self.cursor.as_deref())?;
        let (trace, open) = bench.trace(self.trace.as_ref(), context).await?;
        let named = self.object.as_deref().map(variable);
        let asked = StateRequest { node: self.call.0, object: named, limit: skip + ROWS };
        let mut shown = past::state(open, &asked).map_err(SessionError::from)?;
        let parts = std::mem::take(&mut shown.parts).into_iter().skip(skip).map(row).collect();
        let more = shown.more.then(|| (skip + ROWS).to_string());
        let missing = std::mem::take(&mut shown.missing);
        let name = object(&shown.object).unwrap_or_else(|| shown.object.clone());
        let next = format!("history variable={name}.FIELD shows who wrote a field");
        Ok(StateResult { trace, object: name, parts, more, missing, shown: Box::new(shown), next })
    }
}

fn row(part: PartShown) -> PartRow {
    PartRow {
        name: part.index.map_or_else(|| part.name.clone().unwrap_or_default(), |index| format!("[{index}]")),
        entry: part.entry.clone(),
        exit: part.exit.clone(),
        writes: part.writes,
        shown: part,
    }
}
