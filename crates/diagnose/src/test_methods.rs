//! The methods of test classes.

use classes::{ClassPool, Origin};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use trace::Calls;

/// The numbers of the methods of test classes, and of the classes that help them: those in a folder of the
/// class path that has test classes, if the program has more of its own classes elsewhere.
pub(super) fn of_tests(calls: &Calls, pool: Option<&ClassPool>) -> BTreeSet<u32> {
    let Some(pool) = pool else { return BTreeSet::new() };
    let methods = || (0..).zip(calls.sites.methods());
    let classes: BTreeSet<Arc<str>> = methods().map(|(_, method)| Arc::clone(&method.class)).collect();
    let (tests, others): (BTreeSet<Arc<str>>, BTreeSet<Arc<str>>) =
        classes.into_iter().partition(|class| pool.is_of_test(class));
    let mut helpers: BTreeMap<PathBuf, Vec<Arc<str>>> = BTreeMap::new();
    for folder in tests.iter().filter_map(|class| folder_of(pool, class)) {
        helpers.entry(folder).or_default();
    }
    let mut elsewhere = 0;
    for class in others {
        match folder_of(pool, &class).and_then(|folder| helpers.get_mut(&folder)) {
            Some(helpers) => helpers.push(class),
            None => elsewhere += 1,
        }
    }
    let helpers = helpers.into_values().filter(|helpers| helpers.len() < elsewhere).flatten();
    let all: BTreeSet<Arc<str>> = tests.into_iter().chain(helpers).collect();
    methods().filter(|(_, method)| all.contains(&method.class)).map(|(number, _)| number).collect()
}

/// The folder of the class path that has a class.
fn folder_of(pool: &ClassPool, class: &str) -> Option<PathBuf> {
    let found = pool.find(class).ok().flatten()?;
    let Origin::Folder(file) = &found.origin else { return None };
    file.ancestors().nth(class.split('.').count()).map(PathBuf::from)
}
