//! Random numbers for programs and conditions, the same for the same seed.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

/// The random numbers of a program.
pub struct Dice(u64);

impl Dice {
    /// The seed must not be zero.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(sides).unwrap()).unwrap()
    }

    /// One of these texts.
    pub fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}
