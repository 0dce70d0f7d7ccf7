//! Single stepping (Shapiro 1983): bottom-up, chooses the call that ended first; all its callees are already
//! judged.

use super::{Situation, Strategy};

/// Chooses the call that ended first.
pub struct SingleStepping;

impl Strategy for SingleStepping {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // Descend along the first calls to one without callees that can be asked about.
        let mut found = situation.outermost_in_turn().next()?;
        loop {
            match situation.first_to_ask(found.saturating_add(1)..situation.forest.tree(found).end) {
                Some(first) => found = first,
                None => return Some(found),
            }
        }
    }
}
