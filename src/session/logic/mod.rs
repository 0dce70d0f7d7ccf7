//! Logic queries over recordings.

use super::context::Context;
use super::error::SessionError;
use super::recorded::RecordedTrace;
use crate::logic::Answer;
use crate::logic::queries::{Asked, Query};
use crate::logic::search::Source;

/// Answers a predefined query over a recording.
///
/// # Errors
/// The query does not fit the recording, the recording cannot be read, or the user interrupted the work.
pub fn query(
    trace: &mut RecordedTrace,
    query: &Query,
    asked: &Asked,
    context: &Context,
) -> Result<Answer, SessionError> {
    let missing = trace.missing();
    let mut source = Source::open(&mut trace.recording, &mut || !context.is_interrupted())?;
    let mut answer = (query.ask)(&mut source, asked)?;
    answer.query = asked.text(query.name);
    answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
    Ok(answer)
}
