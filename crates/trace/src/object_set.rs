//! A set of object numbers. Most numbers are consecutive, so a bit for each takes little memory.

use std::collections::BTreeMap;

/// Number of words of a page.
const WORDS: usize = 512;
/// Number of objects of a page, as a power of two.
const PAGE: u32 = 15;

/// A set of object numbers. `null` is in no set.
#[derive(Default)]
pub struct ObjectSet {
    pages: BTreeMap<u32, Box<[u64; WORDS]>>,
}

/// The page of an object, the word in the page, and the bit.
fn place(object: u32) -> (u32, usize, u64) {
    let word = usize::try_from(object >> 6).unwrap_or(0) % WORDS;
    (object >> PAGE, word, 1 << (object & 63))
}

impl ObjectSet {
    /// Adds an object, and returns whether it is new.
    pub fn insert(&mut self, object: u32) -> bool {
        let (page, word, bit) = place(object);
        let words = self.pages.entry(page).or_insert_with(|| Box::new([0; WORDS]));
        let Some(word) = words.get_mut(word).filter(|_| object != 0) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether an object is in the set.
    pub fn contains(&self, object: u32) -> bool {
        let (page, word, bit) = place(object);
        self.pages.get(&page).and_then(|words| words.get(word)).is_some_and(|word| word & bit != 0)
    }

    /// The objects in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.pages.iter().flat_map(|(page, words)| {
            let first = page << PAGE;
            let of_words = (0..).zip(words.iter()).filter(|(_, word)| **word != 0);
            of_words.flat_map(move |(at, word)| {
                (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| first + at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_the_numbers_that_were_added() {
        let mut set = ObjectSet::default();
        let numbers = [1, 5, 63, 64, 32_767, 32_768, 1 << 30, u32::MAX];
        assert!(numbers.iter().all(|number| set.insert(*number)));
        assert!(numbers.iter().all(|number| !set.insert(*number) && set.contains(*number)));
        assert!(!set.insert(0) && !set.contains(0) && !set.contains(2));
        assert_eq!(set.iter().collect::<Vec<_>>(), numbers);
    }
}
