//! How users name an event: its call and its number in the call, `12.4`.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A call and an event of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventRef {
    /// The call, by the number that is shown.
    pub call: u32,
    /// The number of the event, from 1 in the order of the call's events; 0 is the entry of the call. `None`:
    /// the end of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
}

impl EventRef {
    /// `12.4`, `#12.4` or `event:12.4`: the fourth event of call 12. `12.0` is its entry.
    pub fn parse(text: &str) -> Option<EventRef> {
        let text = text.trim();
        let text = text.strip_prefix("event:").or_else(|| text.strip_prefix('#')).unwrap_or(text);
        let (call, event) = text.split_once('.')?;
        Some(EventRef { call: call.parse().ok()?, event: Some(event.parse().ok()?) })
    }
}

/// As [`EventRef::parse`] reads it; the end of a call is its number alone.
impl fmt::Display for EventRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.event {
            Some(event) => write!(f, "{}.{event}", self.call),
            None => write!(f, "{}", self.call),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::EventRef;

    #[test]
    fn events_are_named_by_call_and_number() {
        let event = EventRef { call: 12, event: Some(4) };
        assert_eq!(["12.4", "#12.4", " event:12.4"].map(EventRef::parse), [Some(event); 3]);
        assert_eq!(["12", "call:12.4", "12.", ".4", "-1.4"].map(EventRef::parse), [None; 5]);
        assert_eq!(event.to_string(), "12.4");
    }
}
