//! A small number that tells the hits of one event apart.

use std::num::NonZeroU16;

/// A number below 65,535, such as a bytecode index: code has less than 65,536 bytes (JVMS §4.7.3). `Option`
/// of it takes two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way(NonZeroU16);

impl Way {
    /// The number; `None` if it is out of range.
    pub fn new(number: impl TryInto<u16>) -> Option<Way> {
        NonZeroU16::new(number.try_into().ok()?.checked_add(1)?).map(Way)
    }

    /// The number.
    pub fn get(self) -> u16 {
        self.0.get() - 1
    }
}
