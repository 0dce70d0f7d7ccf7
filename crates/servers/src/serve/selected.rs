//! The arguments that say where the page stands.

use past::EventRef;
use serde::Deserialize;

/// A call of a recording, and an event of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Selected {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The number of the event; `None` for the end of the call.
    #[serde(default)]
    pub event: Option<u64>,
}

impl Selected {
    /// The call and the event.
    pub fn selection(self) -> EventRef {
        EventRef { call: self.call, event: self.event }
    }
}
