//! What the VM does without an event that `qp` can observe.

use crate::query::{Event, Making};

/// The changes that an event cannot observe.
pub fn missed_writes(event: &Event) -> &'static str {
    match event {
        Event::Changed(_) => {
            "Map.Entry.setValue, clone, deserialisation, reflection, and simultaneous changes of a collection by two threads \
             are not seen"
        }
        Event::ElementWritten(_) => {
            "Not seen are elements that native code stores, that the JDK stores into an array that it makes (clone, \
             Arrays.copyOf, toArray, a collection's own array), or through a view of the array (Arrays.asList, \
             ByteBuffer.wrap)"
        }
        _ => {
            "Writes by reflection, Unsafe, VarHandle, MethodHandle setters, field updaters, deserialisation and native code \
             raise no event. Probes see those that a call by the program or a library makes, except by native code"
        }
    }
}

/// The kind of change that the event can miss.
pub fn missable(event: &Event) -> &'static str {
    if matches!(event, Event::Changed(_)) { "change" } else { "write" }
}

/// Explains why no creation was observed, and how objects can be created unobserved.
pub fn unmade(making: &Making) -> &'static str {
    match making {
        Making::Object { .. } => {
            "its creation was not seen: clone, deserialisation, Unsafe and native code run no constructor of its class, \
             and objects that existed before the program was watched are unknown"
        }
        Making::Array { .. } => {
            "its creation was not seen: arrays that the JDK or native code creates (clone, Arrays.copyOf, toArray, the arguments of \
             main, values() of an enum) are not seen"
        }
    }
}
