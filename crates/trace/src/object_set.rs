//! A set of object numbers. Most numbers are consecutive, so a bit for each takes little memory.

/// Number of words of a page.
const WORDS: usize = 512;
/// Number of objects of a page, as a power of two.
const PAGE: u32 = 15;

/// A set of object numbers. `null` is in no set.
#[derive(Default)]
pub struct ObjectSet {
    /// The pages up to the last one with an object.
    pages: Vec<Option<Box<[u64; WORDS]>>>,
}

/// The page of an object, the word in the page, and the bit.
fn place(object: u32) -> (usize, usize, u64) {
    let [page, word] = [object >> PAGE, object >> 6].map(|at| usize::try_from(at).unwrap_or(0));
    (page, word % WORDS, 1 << (object & 63))
}

impl ObjectSet {
    /// Adds an object, and returns whether it is new.
    pub fn insert(&mut self, object: u32) -> bool {
        let (page, word, bit) = place(object);
        if object == 0 {
            return false;
        }
        if self.pages.len() <= page {
            self.pages.resize(page + 1, None);
        }
        let words = self.pages.get_mut(page).map(|page| page.get_or_insert_with(|| Box::new([0; WORDS])));
        let Some(word) = words.and_then(|words| words.get_mut(word)) else { return false };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Whether an object is in the set.
    pub fn contains(&self, object: u32) -> bool {
        let (page, word, bit) = place(object);
        let words = self.pages.get(page).and_then(Option::as_ref);
        words.and_then(|words| words.get(word)).is_some_and(|word| word & bit != 0)
    }

    /// The objects in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let pages = (0_u32..).zip(&self.pages).filter_map(|(page, words)| Some((page, words.as_ref()?)));
        pages.flat_map(|(page, words)| {
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
