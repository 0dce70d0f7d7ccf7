//! The rank of a method by Ochiai's formula, from the methods that each test of a class covers.

use super::call_tree::CallTree;
use std::collections::{BTreeMap, BTreeSet};

/// The methods that a test covers, with their descriptors, and whether it fails.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    pub methods: BTreeSet<String>,
    pub fails: bool,
}

/// The tests of a recorded run of `One4 --all` or `One5 --all`, as far as they run in one thread.
pub fn tests(tree: &CallTree) -> Vec<Covered> {
    let mut found = Vec::new();
    let mut open: BTreeMap<&str, Covered> = BTreeMap::new();
    for call in tree.calls.values() {
        match call.name.split('(').next().unwrap_or_default() {
            "One4$Printed.begin" | "One5$Printed.begin" => {
                open.insert(&call.thread, Covered::default());
            }
            name @ ("One4$Printed.failed"
            | "One5$Printed.failed"
            | "One4$Printed.passed"
            | "One5$Printed.passed") => {
                if let Some(mut test) = open.remove(call.thread.as_str()) {
                    test.fails = name.ends_with("failed");
                    found.push(test);
                }
            }
            _ => {
                if let Some(test) = open.get_mut(call.thread.as_str()) {
                    test.methods.insert(call.name.clone());
                }
            }
        }
    }
    found
}

/// The rank, from 1, of the most suspicious of these methods among all that count. Methods that are equally
/// suspicious share their average rank. None if no failing test covers the method.
pub fn ochiai(tests: &[Covered], methods: &[String], counts: impl Fn(&str) -> bool) -> Option<f64> {
    let failing = tests.iter().filter(|test| test.fails).count();
    let mut covered: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for test in tests {
        for method in test.methods.iter().filter(|method| counts(method)) {
            let of_method = covered.entry(method).or_default();
            *(if test.fails { &mut of_method.0 } else { &mut of_method.1 }) += 1;
        }
    }
    let number = |of: usize| f64::from(u32::try_from(of).expect("few"));
    let suspicion = |(fails, passes): (usize, usize)| {
        number(fails) / (number(failing) * number(fails + passes)).sqrt().max(f64::MIN_POSITIVE)
    };
    let own = methods.iter().filter_map(|method| covered.get(method.as_str())).copied().map(suspicion);
    let own = own.max_by(f64::total_cmp).filter(|own| *own > 0.0)?;
    let all: Vec<f64> = covered.values().copied().map(suspicion).collect();
    let before = all.iter().filter(|other| **other > own).count();
    let equal = all.iter().filter(|other| **other == own).count();
    Some(number(before) + (number(equal) + 1.0) / 2.0)
}
