//! `calls`: the calls of a recording as a tree.

use super::handle::{CallHandle, TraceHandle};
use super::{ROWS, Tool, Workbench, Works, offset};
use crate::CommandError;
use past::{CallShown, CallsRequest, ListedCall};
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
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallsResult {
    /// The recording.
    pub trace: String,
    /// The calls.
    pub calls: Vec<CallRow>,
    /// The cursor of the rows behind these.
    #[schemars(skip)]
    #[serde(skip)]
    pub more: Option<String>,
    /// What the recording lacks.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// What to call next.
    #[schemars(skip)]
    pub next: String,
}

/// A call, or several folded ones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CallRow {
    /// The call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<CallHandle>,
    /// Its method, as `Class.method`.
    pub method: String,
    /// Number of folded calls.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folded: Option<usize>,
    /// How deep it is in the tree.
    #[schemars(skip)]
    pub depth: usize,
    /// Its result.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The exception that left it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Number of calls below.
    #[schemars(skip)]
    pub below: u64,
    /// Its thread, if it is the first row of it.
    #[schemars(skip)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The call as the session shows it, without those below.
    #[schemars(skip)]
    #[serde(skip)]
    pub shown: Option<Box<CallShown>>,
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

fn flatten(rows: &mut Vec<CallRow>, listed: ListedCall, depth: usize) {
    match listed {
        ListedCall::Fold(fold) => rows.push(CallRow {
            call: None,
            method: fold.method,
            folded: Some(fold.folded),
            depth,
            result: None,
            exception: None,
            below: fold.below,
            thread: None,
            shown: None,
        }),
        ListedCall::Call(mut call) => {
            let below = std::mem::take(&mut call.calls);
            let has_shown = !below.is_empty();
            rows.push(row(call, depth, has_shown));
            below.into_iter().for_each(|call| flatten(rows, call, depth + 1));
        }
    }
}

/// The row of a call. `has_shown` says that the calls below it follow.
fn row(mut call: CallShown, depth: usize, has_shown: bool) -> CallRow {
    let below = u64::from(call.below);
    if has_shown {
        // The text of a call counts those below only where they are not shown.
        call.below = 0;
    }
    CallRow {
        call: Some(CallHandle(call.node)),
        method: format!("{}.{}", call.class, call.method),
        folded: None,
        depth,
        result: call.result.clone(),
        exception: call.exception.clone(),
        below,
        thread: None,
        shown: Some(Box::new(call)),
    }
}
