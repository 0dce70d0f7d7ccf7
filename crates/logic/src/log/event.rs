//! Events of the log in memory.

use super::kind::Kind;
use trace::{Calls, EventTime, Method, Value};

/// Stands for "no call".
pub const NO_CALL: u32 = u32::MAX;

/// Most events for which a block gets room before they are decoded.
const ROOM: usize = 1 << 14;

/// An event of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogEvent {
    /// Its kind.
    pub kind: Kind,
    /// The time of the recorded event from which it was derived.
    pub when: EventTime,
    /// The call in which it happened; for a call or exit, that call. `u32::MAX` outside any call.
    pub node: u32,
    /// The number of the recorded event's site, 0 for none. For member fields, the number of the class.
    pub site: u32,
    /// Its source line; 0 if unknown.
    pub line: u16,
    /// For a call: whether its entry was not recorded, so that its arguments are unknown.
    pub is_around: bool,
    /// Where its values begin in the block, and their number.
    pub(super) values: (u32, u16),
}

impl LogEvent {
    /// The method in which it happened. Without its call, its site tells.
    pub fn method<'c>(&self, calls: &'c Calls) -> Option<&'c Method> {
        let site = calls.sites.site(self.site).filter(|site| !site.is_nowhere());
        let site = site.filter(|_| self.kind == Kind::SetField);
        match site {
            Some(site) => calls.sites.method(site.method),
            None => calls.method(self.call()?),
        }
    }

    /// The call in which it happened.
    pub fn call(&self) -> Option<u32> {
        (self.node != NO_CALL).then_some(self.node)
    }
}

/// The events of one block.
#[derive(Clone, Debug, Default)]
pub struct DecodedBlock {
    /// The id of its first event.
    pub first: u64,
    /// The number of its thread.
    pub thread: u32,
    /// The events, in order.
    pub events: Vec<LogEvent>,
    values: Vec<Value>,
}

impl DecodedBlock {
    /// An empty block of a thread.
    pub fn new(first: u64, thread: u32) -> DecodedBlock {
        DecodedBlock { first, thread, ..DecodedBlock::default() }
    }

    /// The same, with room for a number of events.
    pub fn with_room(first: u64, thread: u32, events: u32) -> DecodedBlock {
        let events = usize::try_from(events).unwrap_or(0).min(ROOM);
        let values = Vec::with_capacity(events.saturating_mul(2));
        DecodedBlock { events: Vec::with_capacity(events), values, ..DecodedBlock::new(first, thread) }
    }

    /// The values of an event:
    ///
    /// - call: the receiver (0 for a static method, or if it is not an object yet), then the arguments
    /// - exit: the receiver, then the result unless the method is `void`
    /// - field write: the object (0 for a static field), then the new value
    /// - data structure, exception: the object
    pub fn values(&self, event: &LogEvent) -> &[Value] {
        let (begins, count) = event.values;
        let begins = usize::try_from(begins).unwrap_or(usize::MAX);
        self.values.get(begins..begins.saturating_add(count.into())).unwrap_or_default()
    }

    /// The event with an id.
    pub fn event(&self, id: u64) -> Option<&LogEvent> {
        self.events.get(usize::try_from(id.checked_sub(self.first)?).ok()?)
    }

    /// Size in memory, in bytes.
    pub fn bytes(&self) -> usize {
        self.events.capacity() * size_of::<LogEvent>() + self.values.capacity() * size_of::<Value>()
    }
}

/// Receives the events that are derived.
pub trait EventSink {
    /// Takes an event with its values: first one object, if it has one, then the others.
    fn take(&mut self, event: LogEvent, object: Option<u32>, values: &[Value]);
}

impl EventSink for DecodedBlock {
    fn take(&mut self, mut event: LogEvent, object: Option<u32>, values: &[Value]) {
        let begins = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        self.values.extend(object.map(Value::Object));
        self.values.extend_from_slice(values);
        let count = values.len() + usize::from(object.is_some());
        event.values = (begins, u16::try_from(count).unwrap_or(u16::MAX));
        self.events.push(event);
    }
}

impl LogEvent {
    /// An event without values.
    pub fn new(kind: Kind, when: EventTime) -> LogEvent {
        LogEvent { kind, when, node: NO_CALL, site: 0, line: 0, is_around: false, values: (0, 0) }
    }
}
