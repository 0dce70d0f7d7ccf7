//! Writes the log of a recording as Prolog facts (JEL, JavaTA §3).

use super::open::RecordedTrace;
use logic::log::{Kind, Log, LogIndex, PrologText, Sequence, TermBuilder, Terms};
use session::{Context, SessionError};
use std::io::Write;
use std::sync::Arc;

/// A failure to write a log.
pub(super) enum WriteError {
    /// The file cannot be written.
    File(std::io::Error),
    /// The recording cannot be read.
    Recording(SessionError),
}

impl From<std::io::Error> for WriteError {
    fn from(error: std::io::Error) -> WriteError {
        WriteError::File(error)
    }
}

/// Writes the events of some kinds, or all, with their ids in the whole log. Returns their number.
pub(super) fn write(
    trace: &mut RecordedTrace,
    kinds: &[Kind],
    missing: &[String],
    mut out: impl Write,
    context: &Context,
) -> Result<u64, WriteError> {
    let read = |error: trace::TraceError| WriteError::Recording(error.into());
    let (calls, lines) = (&mut trace.recording.calls, &mut trace.recording.lines);
    let index = LogIndex::build(calls, &mut || !context.is_interrupted()).map_err(read)?;
    let mut log = Log::new(Arc::new(index));
    for what in missing {
        writeln!(out, "% missing: {what}")?;
    }
    writeln!(out, ":- discontiguous event/3.")?;
    let (mut sequence, mut text, mut events) = (Sequence::default(), PrologText, 0);
    while let Some(block) = sequence.next(calls, lines, &log).map_err(read)? {
        if context.is_interrupted() {
            return Err(WriteError::Recording(trace::TraceError::Interrupted.into()));
        }
        let name = calls.sites.threads.get(&block.decoded.thread).map(|(name, _)| name.clone());
        let thread = text.atom(&name.unwrap_or_default());
        let mut locals = block.locals.iter();
        for (id, event) in (block.decoded.first..).zip(&block.decoded.events) {
            let variables = if event.kind == Kind::Step { locals.next() } else { None };
            if !kinds.is_empty() && !kinds.contains(&event.kind) {
                continue;
            }
            let mut terms = Terms { calls, log: &mut log, build: &mut text };
            let term = terms.event(&block.decoded, event, variables.map_or(&[], Vec::as_slice));
            let term = term.map_err(|error| WriteError::Recording(error.into()))?;
            writeln!(out, "event({id},{thread},{term}).")?;
            events += 1;
        }
    }
    out.flush()?;
    Ok(events)
}
