//! Command set 15, `EventRequest`: which events to report.

use crate::constants::{EventKind, SuspendPolicy};
use crate::event::RequestId;
use crate::modifier::Modifier;

commands! {
    /// Requests events. Each event carries the number of its request.
    Set {
        /// The kind of event to report.
        event_kind: EventKind,
        /// Which threads each event suspends.
        suspend_policy: SuspendPolicy,
        /// Conditions that an event must satisfy, applied in this order.
        modifiers: Vec<Modifier>,
    } -> RequestId;
    /// Cancels a request. An unknown request is no error.
    Clear {
        /// The event kind of the request.
        event_kind: EventKind,
        /// The request.
        request_id: RequestId,
    } -> ();
    /// Cancels all breakpoint requests.
    ClearAllBreakpoints {} -> ();
}
