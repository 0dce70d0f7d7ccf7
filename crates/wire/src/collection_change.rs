//! How events describe changes of collections.

/// The kind of change to a collection; the discriminants are the numbers in events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Lists the contents of a list or set: the position of the first element, the number of elements, and
    /// the elements.
    AllOfList = 1,
    /// Lists the contents of a map: the position of the first word, the number of words, and alternating keys
    /// and values.
    AllOfMap = 2,
    /// All elements were removed.
    Clear = 3,
    /// An element was inserted: its index, and the element.
    Insert = 4,
    /// An element was replaced: its index, and the new element.
    Set = 5,
    /// An element was removed: its index.
    Remove = 6,
    /// An element was removed at an unknown position: the element.
    Take = 7,
    /// A key was associated with a value: the key, and the value. A new key becomes the last one.
    Put = 8,
    /// A new key was added: the key, the value, whether another key precedes it in the map's order (1 or 0),
    /// and that key.
    PutBehind = 9,
    /// A key became the last one: the key, and the value.
    PutLast = 10,
    /// A key was removed: the key.
    Unput = 11,
    /// The collection is a view of another collection or array: that object, and whether the view contains
    /// only its keys (1 or 0).
    Backed = 12,
    /// A key of an unidentified map was associated with a value: the key, and the value.
    Doubt = 13,
}

impl Change {
    /// All changes, by number from 1.
    const ALL: [Change; 13] = [
        Change::AllOfList,
        Change::AllOfMap,
        Change::Clear,
        Change::Insert,
        Change::Set,
        Change::Remove,
        Change::Take,
        Change::Put,
        Change::PutBehind,
        Change::PutLast,
        Change::Unput,
        Change::Backed,
        Change::Doubt,
    ];

    /// The change with this number.
    pub fn of(number: u32) -> Option<Change> {
        Change::ALL.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }

    /// The word for the change in output.
    pub fn word(self) -> &'static str {
        match self {
            Change::AllOfList | Change::AllOfMap => "all",
            Change::Clear => "clear",
            Change::Insert => "insert",
            Change::Set => "set",
            Change::Remove | Change::Take | Change::Unput => "remove",
            Change::Put | Change::PutBehind => "put",
            Change::PutLast => "last",
            Change::Backed => "backed",
            Change::Doubt => "doubt",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn change_of_inverts_the_discriminant() {
        let numbers: Vec<u32> = (0..20).filter(|number| Change::of(*number).is_some()).collect();
        assert_eq!(numbers, (1..=13).collect::<Vec<u32>>());
        assert!((1..=13).all(|number| Change::of(number).is_some_and(|change| change as u32 == number)));
    }
}
