//! The event requests used for watching. Each event suspends only its thread.

use jdwp::commands::event_request;
use jdwp::{EventKind, Location, Modifier, ReferenceTypeId, SuspendPolicy};

/// A breakpoint.
pub fn breakpoint(location: Location) -> event_request::Set {
    event_request::Set {
        event_kind: EventKind::Breakpoint,
        suspend_policy: SuspendPolicy::EventThread,
        modifiers: vec![Modifier::LocationOnly(location)],
    }
}

/// Events of a kind in the methods of a class.
pub fn of_class(event_kind: EventKind, class: ReferenceTypeId) -> event_request::Set {
    let modifiers = vec![Modifier::ClassOnly(class)];
    event_request::Set { event_kind, suspend_policy: SuspendPolicy::EventThread, modifiers }
}

/// Requests exceptions of a class and its subclasses: caught, uncaught or both, as wanted.
pub fn exceptions(class: Option<ReferenceTypeId>, wanted: &[(u16, Option<bool>)]) -> event_request::Set {
    let caught = wanted.iter().any(|(_, caught)| *caught != Some(false));
    let uncaught = wanted.iter().any(|(_, caught)| *caught != Some(true));
    event_request::Set {
        event_kind: EventKind::Exception,
        suspend_policy: SuspendPolicy::EventThread,
        modifiers: vec![Modifier::ExceptionOnly { class, caught, uncaught }],
    }
}

/// A breakpoint that expires with its first hit.
pub fn once(at: Location) -> event_request::Set {
    event_request::Set {
        event_kind: EventKind::Breakpoint,
        suspend_policy: SuspendPolicy::EventThread,
        modifiers: vec![Modifier::LocationOnly(at), Modifier::Count(1)],
    }
}
