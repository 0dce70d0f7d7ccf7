//! Logic queries over recordings. They run on a thread of their own (`background`), so that the user can
//! interrupt them. `index` opens the log of a recording. `ask`
//! asks goals by rules, which `saved` finds; `planned` asks a program that is yet to run.

mod ask;
mod background;
mod index;
mod planned;
mod saved;

pub use ask::{AskRequest, ask};
pub use planned::{PlannedRequest, ask_program, explain_plan};

use super::context::Context;
use super::error::SessionError;
use super::recorded::RecordedTrace;
use crate::logic::Answer;
use crate::logic::queries::{Asked, Query};
use background::in_background;

/// Answers a predefined query over a recording.
///
/// # Errors
/// The query does not fit the recording, the recording cannot be read, or the user interrupted the work.
pub async fn query(
    trace: RecordedTrace,
    query: &'static Query,
    asked: &Asked,
    context: &Context,
) -> Result<Answer, SessionError> {
    let missing = trace.missing();
    let asked = asked.clone();
    in_background(context, move |stop| {
        let mut source = index::open(trace, &stop)?;
        let mut answer = (query.ask)(&mut source, &asked)?;
        answer.query = asked.text(query.name);
        answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
        Ok(answer)
    })
    .await
}
