//! `history`: the writes to a variable.

use super::handle::{TraceHandle, variable};
use super::{ROWS, Tool, Workbench, Works, offset};
use command::CommandError;
use past::WriteShown;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Context;

/// Arguments of `history`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct History {
    #[allow(missing_docs)]
    pub trace: Option<TraceHandle>,
    /// `object:7.bar`, `object:9[3]`, `Shop.open`; or a collection, `object:5`
    pub variable: String,
    #[allow(missing_docs)]
    pub cursor: Option<String>,
}

/// Result of `history`.
#[derive(Debug, Serialize)]
pub struct HistoryResult {
    /// The recording.
    pub trace: String,
    /// The writes, the newest first.
    pub writes: Vec<WriteShown>,
    /// The cursor of the rows behind these.
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What to call next.
    pub next: String,
}

impl Tool for History {
    type Output = HistoryResult;

    const NAME: &'static str = "history";
    const ABOUT: &'static str = "All writes to a variable, newest first";
    const RUNS: bool = false;
}

impl Works for History {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<HistoryResult, CommandError> {
        let skip = offset(self.cursor.as_deref())?;
        let (trace, open) = bench.trace(self.trace.as_ref(), context).await?;
        let asked = variable(&self.variable);
        let found = recorded::history(open, &asked, skip + ROWS, context).await?;
        let more = (found.before > 0).then(|| (skip + ROWS).to_string());
        let missing = found.coverage().into_iter().chain(found.missing.iter().cloned()).collect();
        let writes: Vec<WriteShown> = found.writes.into_iter().rev().skip(skip).collect();
        let next = match writes.is_empty() {
            true => "state shows the fields of an object; find value=… where a value came up".to_owned(),
            false => "events call=… shows what the writer did; why asks what led there".to_owned(),
        };
        Ok(HistoryResult { trace, writes, more, missing, next })
    }
}
