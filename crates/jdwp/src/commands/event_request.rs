//! Command set 15, `EventRequest`: which events to report.

use crate::constants::{EventKind, SuspendPolicy};
use crate::event::RequestId;
use crate::modifier::Modifier;

commands! {
    /// Asks for events. They carry the request's number from then on.
    Set {
        /// What is to be reported.
        event_kind: EventKind,
        /// Which threads each event suspends.
        suspend_policy: SuspendPolicy,
        /// What narrows it, in this order.
        modifiers: Vec<Modifier>,
    } -> RequestId;
    /// Takes a request back. An unknown one is no error.
    Clear {
        /// What it asked for.
        event_kind: EventKind,
        /// The request.
        request_id: RequestId,
    } -> ();
    /// Takes all breakpoint requests back.
    ClearAllBreakpoints {} -> ();
}
