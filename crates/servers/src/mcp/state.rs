//! `state`: an object when a recorded call began and ended.

use super::handle::{CallHandle, TraceHandle, object, variable};
use super::{ROWS, Tool, Workbench, Works, offset};
use command::CommandError;
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
#[derive(Debug, Serialize)]
pub struct StateResult {
    /// The recording.
    pub trace: String,
    /// The object.
    pub object: String,
    /// Its fields or elements.
    pub parts: Vec<PartShown>,
    /// The cursor of the rows behind these.
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// The state as the session shows it, without its parts.
    #[serde(skip)]
    pub shown: Box<StateShown>,
    /// What to call next.
    pub next: String,
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
        let parts = std::mem::take(&mut shown.parts).into_iter().skip(skip).collect();
        let more = shown.more.then(|| (skip + ROWS).to_string());
        let missing = std::mem::take(&mut shown.missing);
        let name = object(&shown.object).unwrap_or_else(|| shown.object.clone());
        let next = format!("history variable={name}.FIELD shows who wrote a field");
        Ok(StateResult { trace, object: name, parts, more, missing, shown: Box::new(shown), next })
    }
}
