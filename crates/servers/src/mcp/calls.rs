//! `calls`: the calls of a recording as a tree.

use super::handle::{CallHandle, TraceHandle};
use super::{ROWS, Tool, Workbench, Works, offset};
use command::CommandError;
use past::{CallsRequest, ListedCall};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::{Context, SessionError};

/// Arguments of `calls`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// Default: the last
    pub trace: Option<TraceHandle>,
    /// Below it
    pub call: Option<CallHandle>,
    /// Class.method
    pub method: Option<String>,
    #[allow(missing_docs)]
    pub thread: Option<String>,
    /// Default 3
    pub depth: Option<u32>,
    /// Unfolded
    pub all: Option<bool>,
    #[allow(missing_docs)]
    pub cursor: Option<String>,
}

/// Result of `calls`.
#[derive(Debug, Serialize)]
pub struct CallsResult {
    /// The recording.
    pub trace: String,
    /// The calls.
    pub calls: Vec<CallRow>,
    /// The cursor of the rows behind these.
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What to call next.
    pub next: String,
}

/// A call, or several folded ones.
#[derive(Debug, Serialize)]
pub struct CallRow {
    /// How deep it is in the tree.
    pub depth: usize,
    /// Its thread, if it is the first row of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The call without those below, or the fold.
    #[serde(flatten)]
    pub listed: ListedCall,
}

impl Tool for Calls {
    type Output = CallsResult;

    const NAME: &'static str = "calls";
    const ABOUT: &'static str = "Tree of the recorded calls";
    const RUNS: bool = false;
}

impl Works for Calls {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<CallsResult, CommandError> {
        let skip = offset(self.cursor.as_deref())?;
        let (trace, open) = bench.trace(self.trace.as_ref(), context).await?;
        let most = skip + ROWS + 1;
        let asked = CallsRequest {
            thread: self.thread,
            node: self.call.map(|call| call.0),
            method: self.method,
            depth: self.depth.unwrap_or(3).clamp(1, 100),
            all: self.all.unwrap_or(false),
            most,
        };
        let tree = past::calls(open, &asked).map_err(SessionError::from)?;
        let mut calls = Vec::new();
        for thread in tree.threads {
            let first = calls.len();
            thread.calls.into_iter().for_each(|call| flatten(&mut calls, call, 0));
            if let Some(row) = calls.get_mut(first) {
                row.thread = Some(thread.thread);
            }
        }
        let more = (calls.len() > skip + ROWS).then(|| (skip + ROWS).to_string());
        let calls: Vec<CallRow> = calls.into_iter().skip(skip).take(ROWS).collect();
        let next = match calls.is_empty() {
            true => "calls without `method` shows what was recorded".to_owned(),
            false => "events or state with a `call`; calls call=… depth=… below one".to_owned(),
        };
        Ok(CallsResult { trace, calls, more, missing: tree.missing, next })
    }
}

fn flatten(rows: &mut Vec<CallRow>, mut listed: ListedCall, depth: usize) {
    let below = match &mut listed {
        ListedCall::Fold(_) => Vec::new(),
        ListedCall::Call(call) => std::mem::take(&mut call.calls),
    };
    rows.push(CallRow { depth, thread: None, listed });
    below.into_iter().for_each(|call| flatten(rows, call, depth + 1));
}
