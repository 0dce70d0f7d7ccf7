//! Test classes and their methods.

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

/// The other test classes in the same folder or jar of the class path as a test class: first those of its
/// package.
pub(super) fn classes_beside(pool: &ClassPool, class: &str) -> Vec<String> {
    let place = place_of(pool, class);
    let package = |class: &str| class.rsplit_once('.').map(|(package, _)| package.to_owned());
    let is_it = |other: &&str| {
        *other != class && !other.contains('$') && pool.is_of_test(other) && place_of(pool, other) == place
    };
    let mut found: Vec<String> = pool.user_classes().filter(is_it).map(str::to_owned).collect();
    found.sort_by_key(|other| package(other) != package(class));
    found
}

/// The folder or jar of the class path that has a class.
fn place_of(pool: &ClassPool, class: &str) -> Option<PathBuf> {
    match &pool.find(class).ok().flatten()?.origin {
        Origin::Jar { jar, .. } => Some(jar.clone()),
        _ => folder_of(pool, class),
    }
}

/// The folder of the class path that has a class.
fn folder_of(pool: &ClassPool, class: &str) -> Option<PathBuf> {
    let found = pool.find(class).ok().flatten()?;
    let Origin::Folder(file) = &found.origin else { return None };
    file.ancestors().nth(class.split('.').count()).map(PathBuf::from)
}
