//! Sets of allocations. A set of up to 16 members is a sorted list; a larger one is a sorted list of blocks
//! of 64 bits. Sets only grow.

use super::AllocId;
use serde::{Deserialize, Serialize};

/// The most members that are kept as a list.
const FEW: usize = 16;

/// A set of allocations.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Set(Members);

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Members {
    /// Sorted; at most [`FEW`].
    Few(Vec<u32>),
    /// Sorted by the number of the block; no block is empty.
    Many { blocks: Vec<(u32, u64)>, len: usize },
}

impl Default for Set {
    fn default() -> Set {
        Set::new()
    }
}

/// Block and bit of a member.
fn place(id: u32) -> (u32, u64) {
    (id >> 6, 1 << (id & 63))
}

impl Set {
    /// The empty set.
    pub const fn new() -> Set {
        Set(Members::Few(Vec::new()))
    }

    /// The number of members.
    pub fn len(&self) -> usize {
        match &self.0 {
            Members::Few(list) => list.len(),
            Members::Many { len, .. } => *len,
        }
    }

    /// Whether the set has no member.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the set has this member.
    pub fn contains(&self, id: AllocId) -> bool {
        match &self.0 {
            Members::Few(list) => list.binary_search(&id.0).is_ok(),
            Members::Many { blocks, .. } => {
                let (block, bit) = place(id.0);
                let at = blocks.binary_search_by_key(&block, |b| b.0);
                at.ok().and_then(|at| blocks.get(at)).is_some_and(|b| b.1 & bit != 0)
            }
        }
    }

    /// The members, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = AllocId> + '_ {
        let (list, blocks): (&[u32], &[(u32, u64)]) = match &self.0 {
            Members::Few(list) => (list, &[]),
            Members::Many { blocks, .. } => (&[], blocks),
        };
        list.iter().copied().map(AllocId).chain(blocks.iter().flat_map(|(block, bits)| {
            let first = block << 6;
            let mut left = *bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(AllocId(first + bit))
            })
        }))
    }

    /// Adds a member. Returns whether it is new.
    pub fn insert(&mut self, id: AllocId) -> bool {
        match &mut self.0 {
            Members::Few(list) => {
                let Err(at) = list.binary_search(&id.0) else { return false };
                list.insert(at, id.0);
                if list.len() > FEW {
                    self.0 = many(list);
                }
                true
            }
            Members::Many { blocks, len } => {
                let (block, bit) = place(id.0);
                match blocks.binary_search_by_key(&block, |b| b.0) {
                    Ok(at) => match blocks.get_mut(at) {
                        Some((_, bits)) if *bits & bit == 0 => *bits |= bit,
                        _ => return false,
                    },
                    Err(at) => blocks.insert(at, (block, bit)),
                }
                *len += 1;
                true
            }
        }
    }

    /// Adds the members of another set. Returns those that are new.
    pub fn union(&mut self, other: &Set) -> Set {
        let mut new = Set::new();
        match (&mut self.0, &other.0) {
            (_, Members::Few(list)) => {
                for id in list {
                    if self.insert(AllocId(*id)) {
                        new.insert(AllocId(*id));
                    }
                }
            }
            (Members::Few(list), Members::Many { .. }) => {
                let mine = std::mem::take(list);
                self.0 = other.0.clone();
                let old = Set(Members::Few(mine));
                new = other.without(&old);
                for id in old.iter() {
                    self.insert(id);
                }
            }
            (Members::Many { blocks, len }, Members::Many { blocks: others, .. }) => {
                let mut added = Vec::new();
                let mut at = 0;
                for (block, bits) in others {
                    at += blocks.get(at..).unwrap_or_default().partition_point(|b| b.0 < *block);
                    let missing = match blocks.get_mut(at) {
                        Some((same, mine)) if same == block => {
                            let missing = bits & !*mine;
                            *mine |= missing;
                            missing
                        }
                        _ => {
                            blocks.insert(at, (*block, *bits));
                            *bits
                        }
                    };
                    if missing != 0 {
                        added.push((*block, missing));
                    }
                }
                new = from_blocks(added);
                *len += new.len();
            }
        }
        new
    }

    /// The members that are not in another set.
    pub fn without(&self, other: &Set) -> Set {
        match (&self.0, &other.0) {
            (Members::Many { blocks, .. }, Members::Few(_)) => {
                let mut left = blocks.clone();
                for id in other.iter() {
                    let (block, bit) = place(id.0);
                    let at = left.binary_search_by_key(&block, |b| b.0);
                    if let Some((_, bits)) = at.ok().and_then(|at| left.get_mut(at)) {
                        *bits &= !bit;
                    }
                }
                left.retain(|b| b.1 != 0);
                from_blocks(left)
            }
            _ => self.iter().filter(|id| !other.contains(*id)).collect(),
        }
    }

    /// The members whose bit in a mask is set. The mask has bit `n % 64` of word `n / 64` for member `n`.
    pub(super) fn masked(&self, mask: &[u64]) -> Set {
        let word = |block: u32| usize::try_from(block).ok().and_then(|at| mask.get(at)).copied().unwrap_or(0);
        match &self.0 {
            Members::Few(list) => {
                let kept = list.iter().copied().filter(|id| word(id >> 6) & place(*id).1 != 0);
                Set(Members::Few(kept.collect()))
            }
            Members::Many { blocks, .. } => {
                let kept = blocks.iter().map(|(block, bits)| (*block, bits & word(*block)));
                from_blocks(kept.filter(|b| b.1 != 0).collect())
            }
        }
    }
}

impl FromIterator<AllocId> for Set {
    fn from_iter<I: IntoIterator<Item = AllocId>>(ids: I) -> Set {
        let mut set = Set::new();
        for id in ids {
            set.insert(id);
        }
        set
    }
}

fn many(list: &[u32]) -> Members {
    let mut blocks: Vec<(u32, u64)> = Vec::new();
    for id in list {
        let (block, bit) = place(*id);
        match blocks.last_mut() {
            Some((last, bits)) if *last == block => *bits |= bit,
            _ => blocks.push((block, bit)),
        }
    }
    Members::Many { blocks, len: list.len() }
}

/// The set with these blocks, in the form that its size asks for.
fn from_blocks(blocks: Vec<(u32, u64)>) -> Set {
    let len = blocks.iter().map(|b| b.1.count_ones() as usize).sum();
    let set = Set(Members::Many { blocks, len });
    if len > FEW { set } else { Set(Members::Few(set.iter().map(|id| id.0).collect())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(ids: &BTreeSet<u32>) -> Set {
        ids.iter().copied().map(AllocId).collect()
    }

    proptest! {
        #[test]
        fn sets_behave_like_ordered_sets(
            one in prop::collection::btree_set(0u32..400, 0..60),
            other in prop::collection::btree_set(0u32..400, 0..60),
        ) {
            let (mut a, b) = (set(&one), set(&other));
            let mut mask = vec![0u64; 7];
            for id in &other {
                mask[(id / 64) as usize] |= 1 << (id % 64);
            }
            prop_assert_eq!(a.masked(&mask), set(&one.intersection(&other).copied().collect()));
            prop_assert_eq!(a.without(&b), set(&one.difference(&other).copied().collect()));
            let new = a.union(&b);
            prop_assert_eq!(&new, &set(&other.difference(&one).copied().collect()));
            let all: BTreeSet<u32> = one.union(&other).copied().collect();
            prop_assert_eq!(&a, &set(&all));
            prop_assert_eq!(a.len(), all.len());
            prop_assert!(a.iter().map(|id| id.0).eq(all.iter().copied()));
            prop_assert!((0..400).all(|id| a.contains(AllocId(id)) == all.contains(&id)));
        }
    }
}
