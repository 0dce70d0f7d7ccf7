//! Which methods of two versions have the same code, and how often a difference is run again.

use super::last_calls::last_calls;
use alignment::ChangedMethods;
use classes::ClassPool;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use trace::{Calls, TraceError};

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
    /// before its end, also in other threads.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn suspects(&self, calls: &mut Calls, call: u32) -> Result<Vec<u32>, TraceError> {
        let mut below: BTreeMap<u32, u32> = BTreeMap::new();
        for inner in call..=call.saturating_add(calls.below(call)) {
            below.extend(
                calls.method_number(inner).filter(|of| self.other.contains(of)).map(|of| (of, inner)),
            );
        }
        if below.is_empty() {
            return self.last_calls(calls, Some(call));
        }
        let mut below: Vec<u32> = below.into_values().collect();
        below.sort_unstable();
        Ok(below)
    }

    /// The last call of each method with other code, before the end of a call or of the run.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn last_calls(&self, calls: &mut Calls, end_of: Option<u32>) -> Result<Vec<u32>, TraceError> {
        last_calls(calls, end_of, &|method| self.other.contains(&method))
    }
}
