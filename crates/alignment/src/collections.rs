//! What is known of collections that were compared before: `comparing` does not compare it again.

use super::hashed::{NumberMap, NumberSet};
use std::rc::Rc;
use trace::{CollectionContents, ContentsCursor, EventTime};

/// The contents of a collection at a time, if they are known.
type ContentsAt = (EventTime, Option<Rc<CollectionContents>>);

/// What is known of the collections that were compared.
#[derive(Default)]
pub struct Collections {
    /// The contents of each collection of each run, up to the last question.
    pub(super) cursors: [NumberMap<u32, ContentsCursor>; 2],
    /// The pairs of collections, by that of the first run.
    pub(super) pairs: NumberMap<u32, ComparedPair>,
    /// The contents of collections at the time at which some calls began.
    pub(super) before: NumberMap<(usize, u32), ContentsAt>,
}

/// Two collections, as far as they are known to be the same.
#[derive(Default)]
pub(super) struct ComparedPair {
    pub(super) there: u32,
    /// For lists: the number of items from the first on that were the same.
    pub(super) same: usize,
    /// These items were replaced since then.
    pub(super) replaced: Vec<usize>,
    /// An item that differed.
    pub(super) differing: Option<usize>,
    /// For maps: their entries.
    pub(super) maps: ComparedMaps,
    /// No item that was the same is an object that was paired after this number of pairs: its own contents
    /// must be the same too.
    pub(super) pairs: usize,
    /// Whether some items count as the same although not all of them is known.
    pub(super) in_part: bool,
}

impl Collections {
    /// Forgets what was the same of a collection.
    pub fn forget(&mut self, here: u32) {
        self.pairs.remove(&here);
    }

    /// Notes that the values were the same that the last comparison of a collection returned.
    pub fn are_same(&mut self, here: u32) {
        if let (Some(pair), Some(length)) =
            (self.pairs.get_mut(&here), self.cursors[0].get(&here).and_then(ContentsCursor::item_count))
        {
            (pair.same, pair.differing) = (length, None);
            pair.replaced.clear();
            pair.maps.are_same();
        }
    }
}

/// What items that are the same have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ItemKey {
    /// A digest of a value, or of the content of an immutable object.
    Content(u64),
    /// An object of the second run.
    Object(u32),
    /// A digest of the class and length of an object without a partner.
    Like(u64),
}

/// What both maps of a pair have, and what was not yet compared.
#[derive(Default)]
pub(super) struct ComparedMaps {
    /// The key of each map by what they have in common.
    pub(super) by_key: NumberMap<ItemKey, [Option<u32>; 2]>,
    pub(super) known: [NumberMap<u32, ItemKey>; 2],
    /// The number of keys without a partner.
    pub(super) unmatched: usize,
    /// Keys of which it is not known yet what they have in common with others.
    pub(super) unknown: [NumberSet<u32>; 2],
    /// The entries that were not the same yet, or changed since then.
    pub(super) open: NumberSet<ItemKey>,
    /// An entry that differed.
    pub(super) differing: Option<ItemKey>,
    /// Whether a map has two keys with the same content.
    pub(super) is_ambiguous: bool,
}

impl ComparedMaps {
    /// Notes that the entries of the last comparison were the same.
    pub(super) fn are_same(&mut self) {
        (self.open, self.differing) = (Default::default(), None);
    }
}
