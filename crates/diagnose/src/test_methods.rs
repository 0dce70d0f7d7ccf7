//! The methods of test classes.

use classes::ClassPool;
use std::collections::{BTreeSet, HashMap};
use trace::Calls;

/// The numbers of the methods of test classes.
pub(super) fn of_tests(calls: &Calls, pool: Option<&ClassPool>) -> BTreeSet<u32> {
    let Some(pool) = pool else { return BTreeSet::new() };
    let mut known: HashMap<&str, bool> = HashMap::new();
    let mut found = BTreeSet::new();
    for (number, method) in (0..).zip(calls.sites.methods()) {
        if *known.entry(&method.class).or_insert_with(|| pool.is_of_test(&method.class)) {
            found.insert(number);
        }
    }
    found
}
