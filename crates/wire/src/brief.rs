//! Methods that are recorded in less detail than the rest of a run.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Some methods by class, with dots: each name with its descriptor behind it.
pub type MethodsByClass = BTreeMap<String, BTreeSet<String>>;

/// What is recorded of some methods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// Methods that are recorded at level `writes` at most.
    pub without_steps: MethodsByClass,
    /// Methods of which only writes to fields are recorded, and no calls.
    pub without_calls: MethodsByClass,
}

impl Brief {
    /// Whether a method is recorded at level `writes` at most.
    pub fn has_no_steps(&self, class: &str, name: &str, descriptor: &str) -> bool {
        is_in(&self.without_steps, class, name, descriptor)
    }

    /// Whether only writes to fields are recorded of a method.
    pub fn has_no_calls(&self, class: &str, name: &str, descriptor: &str) -> bool {
        is_in(&self.without_calls, class, name, descriptor)
    }
}

fn is_in(methods: &MethodsByClass, class: &str, name: &str, descriptor: &str) -> bool {
    methods.get(class).is_some_and(|named| named.contains(&format!("{name}{descriptor}")))
}
