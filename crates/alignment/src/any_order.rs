//! Pairs the items of sets, and the keys of maps, whatever their order: by what they contain, or by the
//! objects that they are. The cost grows with the number of items, and for a map that is compared again with
//! the number of its changes.

use super::collections::{ComparedMaps, ItemKey};
use super::correspondence::Sameness;
use super::state::State;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash, Hasher};
use trace::{ContentsChanges, ContentsCursor, Value};

/// How deep immutable objects contain each other, as for their comparison.
const DEEP: u32 = 4;
/// Most items with one key that are tried.
const TRIED: usize = 64;

fn digest(of: impl Hash) -> u64 {
    foldhash::fast::FixedState::default().hash_one(of)
}

/// The name of an object's class that both versions share.
fn class_of(state: &mut State<'_>, side: usize, object: u32) -> String {
    let class = state.runs[side].calls.objects.class(object).map(ToString::to_string);
    let pool = state.runs[side].pool;
    class.map_or_else(String::new, |class| state.versions.class(side, &class, pool))
}

/// A digest of an immutable object's class and content; `None` for other objects.
fn content_digest(state: &mut State<'_>, side: usize, object: u32, depth: u32) -> Option<u64> {
    let class = class_of(state, side, object);
    let content = state.runs[side].calls.objects.content(object)?;
    let Some(fields) = content.fields() else { return Some(digest((class, content))) };
    let mut hasher = foldhash::fast::FixedState::default().build_hasher();
    class.hash(&mut hasher);
    for field in fields {
        match field {
            Value::Object(0) => 0.hash(&mut hasher),
            Value::Object(inner) if depth > 0 => {
                content_digest(state, side, inner, depth - 1).hash(&mut hasher);
            }
            Value::Object(_) => {}
            value => plain(value).hash(&mut hasher),
        }
    }
    Some(hasher.finish())
}

/// The kind and bits of a value that is no object.
fn plain(value: Value) -> (u8, u64) {
    match value {
        Value::Boolean(value) => (0, value.into()),
        Value::Char(value) => (1, value.into()),
        Value::Int(value) => (2, value.cast_unsigned().into()),
        Value::Long(value) => (3, value.cast_unsigned()),
        Value::Float(value) => (4, value.to_bits().into()),
        Value::Double(value) => (5, value.to_bits()),
        Value::Object(object) => (6, object.into()),
    }
}

/// The keys of a value: it is the same as a value of the other run only if they have one in common.
fn keys(state: &mut State<'_>, side: usize, value: Value) -> Vec<ItemKey> {
    let object = match value {
        Value::Object(object) if object != 0 => object,
        value => return vec![ItemKey::Content(digest(plain(value)))],
    };
    let partner = state.pairs.partner(side, object);
    let paired = partner.map(|partner| ItemKey::Object(if side == 0 { partner } else { object }));
    let content = content_digest(state, side, object, DEEP).map(ItemKey::Content);
    let mut keys: Vec<ItemKey> = paired.into_iter().chain(content).collect();
    if keys.is_empty() {
        let length = state.runs[side].calls.objects.length_of(object);
        keys.push(ItemKey::Like(digest((class_of(state, side, object), length))));
    }
    keys
}

/// Pairs values that can be the same: at the same index if possible. `None` if a value has no partner.
pub fn paired(state: &mut State<'_>, here: &[Value], there: &[Value]) -> Option<Vec<(usize, usize)>> {
    let (mut pairs, mut left) = (Vec::new(), Vec::new());
    for (at, (one, other)) in here.iter().zip(there).enumerate() {
        match state.compare(*one, *other) {
            Sameness::Different => left.push(at),
            Sameness::Same | Sameness::New => pairs.push((at, at)),
        }
    }
    let mut free: HashMap<ItemKey, VecDeque<usize>> = HashMap::new();
    let mut is_free = vec![false; there.len()];
    for at in &left {
        is_free[*at] = true;
        for key in keys(state, 1, there[*at]) {
            free.entry(key).or_default().push_back(*at);
        }
    }
    for at in left {
        let mut partner = None;
        for key in keys(state, 0, here[at]) {
            let Some(places) = free.get_mut(&key) else { continue };
            while places.front().is_some_and(|other| !is_free[*other]) {
                places.pop_front();
            }
            let is_it = |other: &usize| {
                is_free[*other] && state.compare(here[at], there[*other]) != Sameness::Different
            };
            partner = places.iter().take(TRIED).position(is_it).and_then(|found| places.remove(found));
            if partner.is_some() {
                break;
            }
        }
        let partner = partner?;
        is_free[partner] = false;
        pairs.push((at, partner));
    }
    Some(pairs)
}

/// The result of comparing two maps.
pub(super) enum ComparedEntries {
    Different,
    /// They are the same if these keys and values are.
    IfSame(Vec<(u32, u32)>),
}

impl ComparedMaps {
    /// Takes what changed in the map of one run.
    pub(super) fn take(
        &mut self,
        state: &mut State<'_>,
        side: usize,
        changes: &ContentsChanges,
        cursor: &ContentsCursor,
    ) {
        if changes.all {
            let known: Vec<u32> = self.known[side].keys().copied().collect();
            known.into_iter().for_each(|key| self.remove(side, key));
            self.unknown[side].clear();
            cursor.items().filter(|_| cursor.is_map()).for_each(|(key, _)| self.add(state, side, key));
            return;
        }
        for (key, _) in changes.gone.iter().chain(&changes.come) {
            match (cursor.value_of(*key).is_some(), self.known[side].get(key)) {
                (true, Some(known)) => drop(self.open.insert(*known)),
                (true, None) => self.add(state, side, *key),
                (false, _) => self.remove(side, *key),
            }
        }
    }

    fn add(&mut self, state: &mut State<'_>, side: usize, key: u32) {
        // Only these two remain what they are.
        let item = match keys(state, side, Value::Object(key)).as_slice() {
            [item @ (ItemKey::Content(_) | ItemKey::Object(_))] => *item,
            _ => {
                self.unknown[side].insert(key);
                return;
            }
        };
        self.unknown[side].remove(&key);
        let both = self.by_key.entry(item).or_default();
        if both[side].is_some() {
            self.is_ambiguous = true;
            return;
        }
        both[side] = Some(key);
        match both[1 - side] {
            Some(_) => self.unmatched -= 1,
            None => self.unmatched += 1,
        }
        self.open.insert(item);
        self.known[side].insert(key, item);
    }

    fn remove(&mut self, side: usize, key: u32) {
        self.unknown[side].remove(&key);
        let Some(item) = self.known[side].remove(&key) else { return };
        self.open.remove(&item);
        let Some(both) = self.by_key.get_mut(&item) else { return };
        both[side] = None;
        match both[1 - side] {
            Some(_) => self.unmatched += 1,
            None => {
                self.unmatched -= 1;
                self.by_key.remove(&item);
            }
        }
    }

    /// Lets all entries be compared again.
    pub(super) fn open_all(&mut self) {
        self.open.extend(self.by_key.keys());
    }

    /// Compares the entries that were not the same yet; `None` if they cannot be paired by what they have in
    /// common.
    pub(super) fn compare(
        &mut self,
        state: &mut State<'_>,
        cursors: [&ContentsCursor; 2],
    ) -> Option<ComparedEntries> {
        for side in [0, 1] {
            let unknown: Vec<u32> = self.unknown[side].iter().copied().collect();
            unknown.into_iter().for_each(|key| self.add(state, side, key));
        }
        if self.is_ambiguous || self.unknown.iter().any(|unknown| !unknown.is_empty()) {
            return None;
        }
        if self.unmatched > 0 {
            return Some(ComparedEntries::Different);
        }
        let both = |item: ItemKey| match self.by_key.get(&item).copied() {
            Some([Some(one), Some(other)]) => Some((item, one, other)),
            _ => None,
        };
        let mut open: Vec<_> = self.open.iter().copied().filter_map(both).collect();
        open.sort_unstable_by_key(|(_, one, _)| *one);
        let first = self.differing.and_then(both);
        let mut found = Vec::new();
        for (item, one, other) in first.into_iter().chain(open) {
            let object = |key: Option<u32>| Value::Object(key.unwrap_or(0));
            if state.compare(Value::Object(one), Value::Object(other)) == Sameness::Different {
                return None;
            }
            let values = [cursors[0].value_of(one), cursors[1].value_of(other)];
            if state.compare(object(values[0]), object(values[1])) == Sameness::Different {
                self.differing = Some(item);
                return Some(ComparedEntries::Different);
            }
            found.push((one, other));
            found.extend(values[0].zip(values[1]));
        }
        Some(ComparedEntries::IfSame(found))
    }
}
