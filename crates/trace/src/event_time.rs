//! Positions and times of events.

use serde::{Deserialize, Serialize};

/// A position in the events: the chunk's number and the byte in it. Positions of one thread are in its order.
pub(super) type ChunkOffset = (u32, u32);

/// The time of an event: the thread's turn and the position. Ordered over all threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventTime {
    pub(super) turn: u64,
    pub(super) place: ChunkOffset,
}

impl EventTime {
    /// Before all events.
    pub const BEGIN: EventTime = EventTime { turn: 0, place: (0, 0) };
    /// After all events.
    pub const END: EventTime = EventTime { turn: u64::MAX, place: (u32::MAX, u32::MAX) };

    /// The time after the event that begins at this one, and before the next event.
    #[must_use]
    pub fn after(self) -> EventTime {
        EventTime { place: (self.place.0, self.place.1.saturating_add(1)), ..self }
    }

    /// It as numbers, from which [`EventTime::of_numbers`] makes it again.
    pub fn numbers(self) -> (u64, u32, u32) {
        (self.turn, self.place.0, self.place.1)
    }

    /// The time with these numbers.
    pub fn of_numbers(turn: u64, chunk: u32, byte: u32) -> EventTime {
        EventTime { turn, place: (chunk, byte) }
    }

    /// Its place among the events of its thread.
    pub fn place_in_thread(self) -> (u32, u32) {
        self.place
    }

    /// Whether no other thread recorded an event between two events of one thread.
    pub fn is_undisturbed_until(self, later: EventTime) -> bool {
        self.turn == later.turn
    }
}
