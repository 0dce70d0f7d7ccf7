//! Facts about a whole recording that decide which events its log has.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use trace::{CONTENTS, Calls, Level, TraceError, Traced};

/// Highest object number that has a bit; higher numbers are in a set.
const DENSE: u32 = 1 << 26;

/// A set of object numbers. Most numbers are low and consecutive.
#[derive(Debug, Default)]
struct ObjectSet {
    bits: Vec<u64>,
    others: HashSet<u32>,
}

impl ObjectSet {
    fn insert(&mut self, object: u32) {
        if object >= DENSE {
            self.others.insert(object);
            return;
        }
        let word = usize::try_from(object / 64).unwrap_or(usize::MAX);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        if let Some(bits) = self.bits.get_mut(word) {
            *bits |= 1 << (object % 64);
        }
    }

    fn contains(&self, object: u32) -> bool {
        if object >= DENSE {
            return self.others.contains(&object);
        }
        let word = usize::try_from(object / 64).ok().and_then(|word| self.bits.get(word));
        word.is_some_and(|bits| bits & 1 << (object % 64) != 0)
    }
}

/// What is known of a method.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MethodFacts {
    /// The first line of its body; 0 if unknown.
    pub line: u16,
    /// Whether its writes are recorded.
    pub has_writes: bool,
    /// Whether its lines are recorded.
    pub has_lines: bool,
    /// Where its receiver is found.
    pub receiver: Receiver,
}

/// Where the receiver of a call is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Receiver {
    /// A static method has none.
    #[default]
    None,
    /// It is the first value of the entry.
    Given,
    /// A constructor makes it.
    Made,
}

/// The first recorded calls of classes that have fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct FirstCalls {
    /// The numbers of the classes, by the first call of one of their methods.
    by_call: HashMap<u32, Vec<u32>>,
    /// The names of the classes, by number.
    pub classes: Vec<Arc<str>>,
}

/// The facts.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The arrays with elements, and the collections with recorded contents, while all events are read.
    /// Later, the few that are met are looked up.
    structures: Option<ObjectSet>,
    pub first_calls: FirstCalls,
    methods: Vec<MethodFacts>,
}

impl Facts {
    /// Collects the facts of a recording.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn of(calls: &mut Calls) -> Result<Facts, TraceError> {
        let mut structures = ObjectSet::default();
        for array in calls.objects.arrays().filter(|(_, length)| *length > 0) {
            structures.insert(array.0);
        }
        for collection in calls.written_objects(CONTENTS)? {
            structures.insert(collection);
        }
        let mut facts = Facts::known(calls, FirstCalls::default())?;
        facts.structures = Some(structures);
        facts.find_first_calls(calls);
        Ok(facts)
    }

    /// The facts of a recording whose first calls are known.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn known(calls: &Calls, first_calls: FirstCalls) -> Result<Facts, TraceError> {
        calls.prepare_writes()?;
        let method = |of: &trace::Method| MethodFacts {
            line: 0,
            has_writes: of.level >= Level::Writes,
            has_lines: of.level == Level::All,
            receiver: match (of.is_static, of.name.as_str()) {
                (true, _) => Receiver::None,
                (false, "<init>") => Receiver::Made,
                (false, _) => Receiver::Given,
            },
        };
        let mut methods: Vec<MethodFacts> = calls.sites.methods().iter().map(method).collect();
        for site in calls.sites.all().filter(|site| site.what == Traced::Enter) {
            let number = usize::try_from(site.method).unwrap_or(usize::MAX);
            if let (Some(method), Some(line)) = (methods.get_mut(number), site.line) {
                method.line = line;
            }
        }
        Ok(Facts { structures: None, first_calls, methods })
    }

    /// Looks up objects from now on, instead of keeping them.
    pub fn look_up(&mut self) {
        self.structures = None;
    }

    fn find_first_calls(&mut self, calls: &mut Calls) {
        let mut by_class: BTreeMap<Arc<str>, Vec<u32>> = BTreeMap::new();
        for (number, method) in (0..).zip(calls.sites.methods()) {
            if !calls.sites.fields(&method.class).is_empty() {
                by_class.entry(method.class.clone()).or_default().push(number);
            }
        }
        let threads: Vec<u32> = calls.threads().into_iter().map(|(thread, ..)| thread).collect();
        for (class, methods) in by_class {
            // The first call in each thread; among threads, time decides.
            let of_thread = |thread: &u32| {
                methods.iter().filter_map(|method| calls.first_of_method(*method, *thread)).min()
            };
            let first: Vec<u32> = threads.iter().filter_map(of_thread).collect();
            let first = match first.as_slice() {
                [one] => Some(*one),
                several => several
                    .iter()
                    .filter_map(|node| Some((calls.when_at(calls.entry(*node)?).ok()?, *node)))
                    .min()
                    .map(|(_, node)| node),
            };
            if let Some(node) = first {
                let first_calls = &mut self.first_calls;
                let number = u32::try_from(first_calls.classes.len()).unwrap_or(u32::MAX);
                first_calls.classes.push(class);
                first_calls.by_call.entry(node).or_default().push(number);
            }
        }
    }

    /// Whether an object is an array or collection with contents.
    pub fn is_structure(&self, object: u32, calls: &Calls) -> bool {
        match &self.structures {
            Some(structures) => structures.contains(object),
            None => match calls.objects.length_of(object) {
                Some(length) => length > 0,
                // `Facts::known` has prepared the table of writes, so this does not fail.
                None => calls.has_contents(object).unwrap_or(false),
            },
        }
    }

    /// The classes whose first recorded call this is.
    pub fn begins(&self, node: u32) -> &[u32] {
        self.first_calls.by_call.get(&node).map_or(&[], Vec::as_slice)
    }

    /// What is known of a method, by its number.
    pub fn method(&self, number: u32) -> MethodFacts {
        let method = usize::try_from(number).ok().and_then(|number| self.methods.get(number));
        method.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_objects_holds_low_and_high_numbers() {
        let mut set = ObjectSet::default();
        for object in [0, 63, 64, 1000, 1 << 30, u32::MAX] {
            set.insert(object);
            assert!(set.contains(object));
        }
        for object in [1, 62, 65, 999, (1 << 30) + 1] {
            assert!(!set.contains(object));
        }
    }
}
