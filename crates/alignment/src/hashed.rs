//! Hash tables for numbers, with a quick hash: the numbers come from recordings, and nobody can choose them
//! to collide.

use foldhash::fast::FixedState;

/// A map by numbers.
pub type NumberMap<K, V> = std::collections::HashMap<K, V, FixedState>;
/// A set of numbers.
pub type NumberSet<K> = std::collections::HashSet<K, FixedState>;
