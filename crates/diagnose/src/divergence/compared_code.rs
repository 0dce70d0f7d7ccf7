//! Which methods of two versions have the same code, and how often a difference is run again.

use alignment::ChangedMethods;
use classes::ClassPool;
use indexmap::IndexMap;
use std::collections::{BTreeSet, HashSet};
use trace::Calls;

/// Number of runs of each version that confirm a difference.
pub const RUNS: usize = 2;
/// The same for a program with several threads, or a call in which something varies.
pub const IN_DOUBT: usize = 4;

/// The methods of the version under test, by number in its recording. Methods whose class files are missing
/// are in neither set.
#[derive(Debug, Default)]
pub struct ComparedCode {
    /// Those with the same code in the other version.
    pub same: BTreeSet<u32>,
    /// Those with other code there.
    other: HashSet<u32>,
}

impl ComparedCode {
    /// Compares the code of the methods of a recording, by the class files of both versions.
    pub fn new(calls: &Calls, pools: [Option<&ClassPool>; 2]) -> ComparedCode {
        let mut code = ComparedCode::default();
        let mut changed = ChangedMethods::default();
        for (number, method) in (0..).zip(calls.sites.methods()) {
            match changed.is_changed(method, pools) {
                Some(true) => code.other.insert(number),
                Some(false) => code.same.insert(number),
                None => false,
            };
        }
        code
    }

    /// Whether the method of a call has the same code in the other version.
    pub fn is_same(&self, calls: &Calls, call: u32) -> bool {
        calls.method_number(call).is_some_and(|method| self.same.contains(&method))
    }

    /// Whether it has other code there.
    pub fn is_other(&self, calls: &Calls, call: u32) -> bool {
        calls.method_number(call).is_some_and(|method| self.other.contains(&method))
    }

    /// Whether the methods of a call and of all calls below it have the same code there.
    pub fn is_same_below(&self, calls: &Calls, call: u32) -> bool {
        (call..=call.saturating_add(calls.below(call))).all(|inner| self.is_same(calls, inner))
    }

    /// The last calls of methods with other code there: those below a call or, if there are none, those
    /// before its end.
    pub fn suspects(&self, calls: &Calls, call: u32) -> Vec<u32> {
        let end = call.saturating_add(calls.below(call));
        let below = self.last_calls(calls, call..end.saturating_add(1));
        if below.is_empty() { self.last_calls(calls, 0..end.saturating_add(1)) } else { below }
    }

    /// The last call of each method with other code among some calls.
    pub fn last_calls(&self, calls: &Calls, among: std::ops::Range<u32>) -> Vec<u32> {
        let mut last: IndexMap<u32, u32> = IndexMap::new();
        for call in among.filter(|call| self.is_other(calls, *call)) {
            last.extend(calls.method_number(call).map(|method| (method, call)));
        }
        last.into_values().collect()
    }
}
