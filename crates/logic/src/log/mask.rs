//! Masks of the methods and fields that a block has events of. A search skips blocks without any of its own.

use serde::{Deserialize, Serialize};

/// A set of numbers that may contain more than was put into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask([u64; 4]);

impl Mask {
    /// Adds a number.
    pub fn insert(&mut self, number: u32) {
        // The highest bits of the product depend on all bits of the number.
        let at = number.wrapping_mul(0x9e37_79b9) >> 24;
        if let Some(word) = self.0.get_mut(usize::try_from(at / 64).unwrap_or(0)) {
            *word |= 1 << (at % 64);
        }
    }

    /// Whether both may contain the same number.
    pub fn meets(&self, other: &Mask) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one & other != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(numbers: &[u32]) -> Mask {
        let mut mask = Mask::default();
        numbers.iter().for_each(|number| mask.insert(*number));
        mask
    }

    #[test]
    fn masks_meet_if_they_share_a_number() {
        for number in 0..1000 {
            assert!(mask(&[number, 7]).meets(&mask(&[number])));
        }
        assert!(!mask(&[1, 2, 3]).meets(&mask(&[4, 5, 6])));
        assert!(!mask(&[]).meets(&mask(&[4])));
    }
}
