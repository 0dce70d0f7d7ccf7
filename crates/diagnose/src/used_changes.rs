//! The changes of a call that the failing run used later, in the order in which it used them. What it never
//! used has not led to the failure, so a person looks at the used changes first.

use super::change_groups::element;
use super::changes::Change;
use super::question::is_judgeable;
use super::{Diagnoser, Question};
use session::SessionError;
use slice::Use;
use std::collections::HashMap;
use trace::{CONTENTS, EventTime, TEXT};

impl Diagnoser {
    /// Notes in a question which of its changes the failing run used later, if that is known.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub(super) fn order_by_use(&mut self, question: &mut Question) -> Result<(), SessionError> {
        let Some(failed) = &self.failure.found else { return Ok(()) };
        let Some(uses) = &failed.uses else { return Ok(()) };
        let calls = &mut self.trace.calls;
        let call = self.nodes.call(question.at);
        // The uses are those of the call that failed, and of its thread.
        if calls.thread_number(call) != calls.thread_number(failed.root) {
            return Ok(());
        }
        let ends = match self.nodes.part(question.at) {
            Some(part) => part.ends.map(|end| calls.when_at(end)).transpose()?.unwrap_or(EventTime::END),
            None => calls.span(call)?.1,
        };
        let mut used: Vec<(Use, &str)> = Vec::new();
        for change in &question.changed {
            let Some((object, part)) = change.part else { continue };
            let Some(first) = uses.first_after(object, part, ends) else { continue };
            // A collection or text that changes again still has what this call did to it.
            let is_replaced = !matches!(part, CONTENTS | TEXT)
                && calls.is_written(object, part, ends.after(), first.before)?;
            if !is_replaced {
                used.push((first, &change.path));
            }
        }
        used.sort_by_key(|(first, _)| *first);
        let used: Vec<String> = used.into_iter().map(|(_, path)| path.to_owned()).collect();
        question.used = Some(used);
        question.is_judgeable = is_judgeable(question.changes_by_use().0.into_iter());
        Ok(())
    }
}

impl Question {
    /// The changes: those that the failing run used later, in the order of use, and the others. If the uses
    /// are not known, there are no others. Elements of one array stay together.
    pub fn changes_by_use(&self) -> (Vec<&Change>, Vec<&Change>) {
        let Some(used) = &self.used else { return (self.changed.iter().collect(), Vec::new()) };
        let places: HashMap<&str, usize> =
            used.iter().enumerate().map(|(place, path)| (path.as_str(), place)).collect();
        let (mut first, others): (Vec<&Change>, Vec<&Change>) =
            self.changed.iter().partition(|change| places.contains_key(change.path.as_str()));
        // By array: the place of its first element.
        let mut of_array: HashMap<&str, usize> = HashMap::new();
        for change in &first {
            let place = places.get(change.path.as_str()).copied().unwrap_or(usize::MAX);
            let least = of_array.entry(holder(&change.path)).or_insert(place);
            *least = place.min(*least);
        }
        first.sort_by_key(|change| of_array.get(holder(&change.path)).copied());
        (first, others)
    }
}

/// The path of the array for that of an element; other paths as they are.
fn holder(path: &str) -> &str {
    element(path).map_or(path, |(array, _)| array)
}
