//! The numbers of objects where another recording defines them.

/// Maps the numbers of a recording's objects to those by which they are shown, and back.
#[derive(Debug, Default)]
pub struct ObjectNumbers {
    /// Own and shown numbers, by own number.
    shown: Vec<(u32, u32)>,
    /// Shown and own numbers, by shown number.
    own: Vec<(u32, u32)>,
}

impl ObjectNumbers {
    /// From pairs of own and shown numbers. The other objects in `all`, which come by number, get numbers
    /// above these and `last`.
    pub fn new(mut named: Vec<(u32, u32)>, all: impl Iterator<Item = u32>, last: u32) -> ObjectNumbers {
        named.sort_unstable();
        named.dedup_by_key(|(own, _)| *own);
        let mut next = named.iter().map(|(_, shown)| *shown).fold(last, u32::max);
        let known = named.len();
        for object in all {
            let is_named = named.get(..known).is_some_and(|named| find(named, object).is_some());
            if !is_named {
                next = next.saturating_add(1);
                named.push((object, next));
            }
        }
        named.sort_unstable();
        let mut own: Vec<(u32, u32)> = named.iter().map(|(own, shown)| (*shown, *own)).collect();
        own.sort_unstable();
        ObjectNumbers { shown: named, own }
    }

    /// The number by which an object is shown.
    pub fn shown(&self, object: u32) -> u32 {
        find(&self.shown, object).unwrap_or(object)
    }

    /// The own number of the object with this shown number; 0 if there is none.
    pub fn own(&self, number: u32) -> u32 {
        if self.own.is_empty() { number } else { find(&self.own, number).unwrap_or(0) }
    }
}

/// The second number of a pair, by the first.
fn find(pairs: &[(u32, u32)], first: u32) -> Option<u32> {
    let place = pairs.binary_search_by_key(&first, |(first, _)| *first).ok()?;
    pairs.get(place).map(|(_, second)| *second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_objects_get_numbers_above_all_others() {
        let numbers = ObjectNumbers::new(vec![(5, 2), (1, 9), (7, 1)], [1, 3, 5, 6, 7].into_iter(), 12);
        assert_eq!([1, 3, 5, 6, 7].map(|object| numbers.shown(object)), [9, 13, 2, 14, 1]);
        assert_eq!([9, 13, 2, 14, 1, 3].map(|number| numbers.own(number)), [1, 3, 5, 6, 7, 0]);
        let none = ObjectNumbers::default();
        assert_eq!((none.shown(4), none.own(4)), (4, 4));
    }
}
