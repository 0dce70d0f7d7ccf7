//! The writes to a variable. If the recording has none, those of the calls that were recorded later in more
//! detail.

use super::open::RecordedTrace;
use super::supplements::{Supplement, above, later};
use past::history::{NamedVariable, of_parts};
use past::{History, PastError};
use session::{Context, SessionError};
use trace::Level;

/// Shows the last `limit` writes to a variable. If the recording has no writes, shows those of the calls that
/// were recorded later in more detail.
///
/// # Errors
/// No writes were recorded, the recording cannot be read, or the text names no variable.
pub async fn history(
    trace: &mut RecordedTrace,
    variable: &str,
    limit: usize,
    context: &Context,
) -> Result<History, SessionError> {
    let wanted = NamedVariable::parse(variable)?;
    if trace.about.level >= Level::Writes {
        wanted.check(variable, &trace.calls)?;
        let (object, parts) = wanted.parts(&trace.calls);
        let mut found = of_parts(trace, variable, object, &parts, limit)?;
        found.missing = trace.missing();
        found.missing.extend(trace.hidden());
        found.missing.extend(trace.unseen_writers());
        if let Some((object, name)) = wanted.field(&trace.calls) {
            found.missing.extend(trace.unrecorded_changes(object, name, &found)?);
        }
        return Ok(found);
    }
    let mut all = History { variable: variable.to_owned(), ..History::default() };
    let (mut unknown, mut is_known) = (None, false);
    for Supplement { run, node, trace } in later(trace, &above(Level::Calls), context).await? {
        let mut trace = trace;
        // Another call may have met an object that is unknown in this one.
        match wanted.check(variable, &trace.calls) {
            Err(error) => unknown = unknown.or(Some(error)),
            Ok(()) => is_known = true,
        }
        let lost = trace.missing().into_iter().filter(|what| !all.missing.contains(what)).collect::<Vec<_>>();
        all.missing.extend(lost);
        let (object, parts) = wanted.parts(&trace.calls);
        let mut found = of_parts(&mut trace, variable, object, &parts, limit)?;
        found.writes.iter_mut().for_each(|write| write.run = Some(run.clone()));
        all.writes.append(&mut found.writes);
        all.before += found.before;
        all.only.push(node);
    }
    if all.only.is_empty() {
        return Err(PastError::NoWrites.into());
    }
    if let Some(error) = unknown.filter(|_| !is_known) {
        return Err(error.into());
    }
    let more = all.writes.len().saturating_sub(limit);
    all.writes.drain(..more);
    all.before += more;
    Ok(all)
}
