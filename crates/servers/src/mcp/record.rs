//! `record`: runs a program of the user once, and records it.

use super::level::LevelWord;
use super::output_lines::OutputLines;
use super::{MEMORY, Tool, Workbench, Works};
use chain::Chain;
use command::CommandError;
use past::ThreadInfo;
use recorded::RecordOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use session::Context;
use std::rc::Rc;
use trace::Level;

/// Arguments of `record`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Program, if there are several
    pub run: Option<String>,
    /// Words
    pub command: Option<Vec<String>>,
    /// Default all
    pub level: Option<LevelWord>,
    /// Classes, com.acme.**
    pub scope: Option<Vec<String>>,
    /// New folder
    pub keep: Option<String>,
    #[allow(missing_docs)]
    pub timeout_s: Option<u64>,
}

/// Result of `record`.
#[derive(Debug, Serialize)]
pub struct RecordResult {
    /// The recording.
    pub trace: String,
    /// Number of calls.
    pub calls: usize,
    /// How the run ended.
    pub ended: String,
    /// The exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// The threads.
    pub threads: Vec<ThreadInfo>,
    /// The last lines that the program printed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<String>,
    /// What is missing, and remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What to call next.
    pub next: String,
}

impl Tool for Record {
    type Output = RecordResult;

    const NAME: &'static str = "record";
    const ABOUT: &'static str = "Runs the program once and records a trace, which other tools read";
    const RUNS: bool = true;
}

impl Works for Record {
    async fn call(self, bench: &mut Workbench, context: &Context) -> Result<RecordResult, CommandError> {
        let debuggee = match &self.command {
            Some(command) => bench.permissions.made_up(command)?,
            None => bench.permissions.program(self.run.as_deref())?.debuggee.clone(),
        };
        let out = match &self.keep {
            Some(keep) => bench.permissions.new_path(keep)?,
            None => bench.new_folder()?,
        };
        let scope = self.scope.unwrap_or_default();
        let options = RecordOptions {
            out: out.clone(),
            level: self.level.map_or(Level::All, Into::into),
            by_owner: scope.is_empty(),
            scope,
            max_size: recorded::default_max_size(&debuggee),
            memory: MEMORY,
            timeout_s: self.timeout_s.or(debuggee.timeout_s),
            show_output: true,
            ..RecordOptions::default()
        };
        let lines = Rc::new(OutputLines::new(bench.progress.clone()));
        let listening = Context::new(lines.clone(), context.interrupt().clone());
        let command = debuggee.command.clone();
        let chain = Chain::new(debuggee, Vec::new());
        let run = Box::pin(recorded::record(&chain, &options, &listening)).await?;
        let trace = bench.add_trace(out, Some(command));
        let (_, open) = bench.trace(Some(&super::TraceHandle(trace.clone())), context).await?;
        let info = past::holds(open);
        let mut notes = run.notes;
        notes.extend(info.missing.into_iter().map(|missing| format!("missing: {missing}")));
        let is_uncaught = info.threads.iter().any(|thread| thread.uncaught.is_some());
        let next = match (info.calls, is_uncaught, run.exit_code) {
            (0, ..) => "nothing was recorded: name the classes in `scope`, as com.acme.**".to_owned(),
            (_, true, _) => {
                "find thrown=true shows where the exception began; why at=Class:LINE asks backwards \
                             from there"
                    .to_owned()
            }
            (_, false, code) if code != Some(0) => format!(
                "diagnose trace={trace} asks which call is wrong; find thrown=true all=true lists \
                 exceptions; why at=Class:LINE asks backwards"
            ),
            _ => {
                format!("calls trace={trace} shows what ran; find value=… where a wrong value came up")
            }
        };
        Ok(RecordResult {
            trace,
            calls: info.calls,
            ended: run.recorded.ended,
            exit_code: run.exit_code,
            threads: info.threads,
            printed: lines.last(),
            notes,
            next,
        })
    }
}
