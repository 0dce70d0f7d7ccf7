//! The events of a call. If the recording has less detail than asked for, the program is run again.

use super::open::RecordedTrace;
use super::rerecord::detail;
use past::{CallShown, EventsShown, PastError, events_of};
use session::{Context, SessionError};
use trace::Level;

/// Which events are shown.
#[derive(Clone, Debug, Default)]
pub struct EventsRequest {
    /// The call.
    pub node: u32,
    /// Maximum number of events.
    pub limit: usize,
    /// The level of detail; `None` for that of the recording.
    pub level: Option<Level>,
}

/// Shows the events of a call. If the recording has less detail than asked for, the program is run again.
///
/// # Errors
/// There is no such call, or the recording cannot be read. Or the program cannot be run again, or the new run
/// differs.
pub async fn events(
    trace: &mut RecordedTrace,
    asked: &EventsRequest,
    context: &Context,
) -> Result<EventsShown, SessionError> {
    let recorded = trace.about.level;
    let calls = &mut trace.calls;
    let Some(call) = CallShown::of(calls, asked.node)? else {
        return Err(PastError::NoSuchCall { node: asked.node, calls: calls.count() }.into());
    };
    let source = calls.method(asked.node).and_then(|method| method.source.as_deref().map(str::to_owned));
    let thread = calls.thread_of(asked.node).unwrap_or_default();
    let wanted = asked.level.unwrap_or(recorded);
    let (events, more, missing) = match detail(trace, asked.node, wanted, context).await? {
        None => {
            let (events, more) = events_of(trace, asked.node, asked.limit)?;
            (events, more, trace.missing_in(asked.node))
        }
        Some(mut later) => {
            let own = later.calls.own(asked.node);
            let (events, more) = events_of(&mut later, own, asked.limit)?;
            (events, more, later.missing_in(own))
        }
    };
    Ok(EventsShown { thread, call, source, events, more, level: wanted.max(recorded), missing })
}
