//! Asks a goal over a recording.

use super::background::in_background;
use super::index;
use super::saved::rules;
use crate::logic::rules::{AskOptions, Asked};
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::RecordedTrace;
use prolog::Limits;
use std::path::PathBuf;
use std::time::Duration;

/// A goal to ask.
#[derive(Clone, Debug)]
pub struct AskRequest {
    /// The goal.
    pub goal: String,
    /// Files of rules.
    pub rules: Vec<PathBuf>,
    /// Maximum number of solutions.
    pub solutions: usize,
    /// Time limit, in seconds.
    pub timeout_s: u64,
    /// Memory limit, in bytes.
    pub memory: usize,
    /// Whether to tell how events were found.
    pub explain: bool,
}

/// Asks a goal over a recording.
///
/// # Errors
/// The rules or the goal are not valid, the recording cannot be read, or the user interrupted the work.
pub async fn ask(trace: RecordedTrace, asked: &AskRequest, context: &Context) -> Result<Asked, SessionError> {
    let rules = rules(&asked.rules)?;
    let missing = trace.missing();
    let AskRequest { goal, solutions, timeout_s, memory, explain, .. } = asked.clone();
    in_background(context, move |stop| {
        let source = index::open(trace, &stop)?;
        let time = Some(Duration::from_secs(timeout_s));
        let limits = Limits { time, memory, ..Limits::default() }.interrupted_by(stop);
        let mut answer = rules.ask(source, &goal, AskOptions { solutions, limits, explain })?;
        answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
        Ok(answer)
    })
    .await
}
