//! The hits of copies before a point, as records of a spool: there can be very many.

use query::CopyHit;
use trace::EventTime;

/// The length of a record in words.
pub(super) const WORDS: usize = 11;

/// A hit with the time of the event that told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TimedHit {
    /// The hit. Its activation is the number of its call.
    pub hit: CopyHit,
    /// The time of the event.
    pub when: EventTime,
}

impl TimedHit {
    /// The hit as a record.
    pub fn record(self) -> [u32; WORDS] {
        let TimedHit { hit, when } = self;
        let (turn, chunk, byte) = when.numbers();
        let low = |word: u64| u32::try_from(word & 0xffff_ffff).unwrap_or_default();
        [
            low(turn),
            low(turn >> 32),
            chunk,
            byte,
            low(hit.activation),
            low(hit.activation >> 32),
            hit.site,
            u32::try_from(hit.ordinal).unwrap_or(u32::MAX),
            hit.thread,
            hit.owner,
            hit.index.cast_unsigned(),
        ]
    }

    /// The hit of a record.
    pub fn of(record: [u32; WORDS]) -> TimedHit {
        let [turn, turn_high, chunk, byte, activation, activation_high, site, ordinal, thread, owner, index] =
            record;
        let long = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let activation = long(activation, activation_high);
        let (ordinal, index) = (ordinal.into(), index.cast_signed());
        TimedHit {
            hit: CopyHit { site, ordinal, thread, activation, owner, index },
            when: EventTime::of_numbers(long(turn, turn_high), chunk, byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_the_same_after_a_record() {
        let hit = CopyHit { site: 7, ordinal: 9, thread: 3, activation: 5 << 40, owner: u32::MAX, index: -7 };
        let timed = TimedHit { hit, when: EventTime::of_numbers(3 << 50, 11, 12) };
        assert_eq!(TimedHit::of(timed.record()), timed);
    }
}
