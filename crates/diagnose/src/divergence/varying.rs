//! Names what varies between runs of the same version.

use alignment::{StepKind, Variation};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::HashSet;
use std::mem::discriminant;
use trace::Calls;

/// Most varying places that are named.
const NAMED: usize = 12;
/// Most values that are shown for one varying place.
const VALUES: usize = 4;

/// Something that differs between runs of the same version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Varying {
    /// A method as CLASS.METHOD, or a thread.
    pub place: String,
    /// The value that varies, or the calls made there.
    pub what: String,
    /// Examples of its values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The varying places of both versions, each once, and the number of further ones. A static field is one
/// place, whatever methods write it.
pub fn listed(versions: [(&Calls, &Variation); 2]) -> (Vec<Varying>, usize) {
    let mut named: IndexMap<(String, String), Vec<String>> = IndexMap::new();
    let mut more: HashSet<(String, String)> = HashSet::new();
    // Those without texts, by method, place, and kind of step.
    let mut unnamed = HashSet::new();
    for (calls, variation) in versions {
        let threads = variation.threads.iter();
        let threads = threads.map(|name| (format!("thread {name}"), "its calls".to_owned(), Vec::new()));
        for step in variation.steps().filter(|step| !step.is_named) {
            unnamed.insert((
                calls.method_number(step.node),
                step.place,
                step.kind.map(|kind| discriminant(&kind)),
            ));
        }
        let steps = variation.steps().filter(|step| step.is_named).map(|step| {
            let method = calls.method(step.node).map(trace::Method::shown);
            let method = method.unwrap_or_else(|| "a thread".to_owned());
            let (place, what) = match step.kind.zip(step.what.clone()) {
                Some((StepKind::StaticField(_), what)) => ("static field".to_owned(), what),
                Some((_, what)) => (method, what),
                None => (method, "its calls".to_owned()),
            };
            let mut values = step.values.clone();
            values.dedup();
            values.truncate(VALUES);
            (place, what, values)
        });
        for (place, what, values) in threads.chain(steps) {
            let key = (place, what);
            if named.len() < NAMED || named.contains_key(&key) {
                named.entry(key).or_insert(values);
            } else {
                more.insert(key);
            }
        }
    }
    let one = |((place, what), values)| Varying { place, what, values };
    (named.into_iter().map(one).collect(), more.len() + unnamed.len())
}
