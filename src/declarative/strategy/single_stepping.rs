//! Single stepping (Shapiro 1983): bottom-up, the call that ended first; all that it made were judged before
//! it.

use super::{Situation, Strategy};

/// Takes the first that ended.
pub struct SingleStepping;

impl Strategy for SingleStepping {
    fn choose(&self, situation: &Situation<'_>) -> Option<u32> {
        // Down along the first calls, to one that has made none that can be asked.
        let mut found = situation.outermost_in_turn().next()?;
        loop {
            match situation.first_to_ask(found.saturating_add(1)..situation.forest.tree(found).end) {
                Some(first) => found = first,
                None => return Some(found),
            }
        }
    }
}
