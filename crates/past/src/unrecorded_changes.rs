//! Changes of a field by code that was not recorded, such as a framework that sets it by reflection. They
//! show in what recorded code saw of the field: the values that writes replaced, and the results of getters.

use super::error::PastError;
use super::fields::default_of;
use super::history::History;
use super::object_names::declaring_class;
use super::recording::Recording;
use super::values::shown;
use std::collections::BTreeSet;
use trace::{CREATION, EventTime, Exit};

/// Maximum number of calls of getters that are looked at.
const CALLS: usize = 10_000;
/// Maximum number of changes that are listed.
const LISTED: usize = 5;
/// The end of a sentence.
const BY: &str = "by code that was not recorded; `qp why` sees it";

/// A value of the field that recorded code saw, and the one that it left.
struct Sighting {
    when: EventTime,
    thread: String,
    /// The call, by its shown number.
    node: u32,
    /// The value that the code found; `None` if that was not recorded.
    found: Option<String>,
    /// The value that the code left.
    left: String,
    is_write: bool,
}

impl Recording {
    /// Sentences about the changes of an object's field that no recorded code made, as far as recorded code
    /// saw its values: as the values that the writes of `history` replaced, and as results of getters. Of a
    /// change that nothing recorded saw there is no sentence.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn unrecorded_changes(
        &mut self,
        object: u32,
        name: &str,
        history: &History,
    ) -> Result<Vec<String>, PastError> {
        let Some(class) = declaring_class(&self.calls, object, name).filter(|_| self.about.chosen.is_none())
        else {
            return Ok(Vec::new());
        };
        let field = self.calls.sites.fields(&class).iter().find(|field| field.name == name);
        let default = default_of(field.map_or("", |field| &field.descriptor));
        let default = shown(&default, &self.calls.objects);
        let mut all = self.writes_seen(&class, name, history)?;
        if history.writes.is_empty() && history.before == 0 {
            all.extend(self.creation(object, &default)?);
        }
        let begins = all.first().map(|first| first.when).filter(|_| history.before > 0);
        let getters = self.calls_of_getters(&class, name);
        let read = self.results_of_getters(&getters, object)?;
        all.extend(read.into_iter().filter(|seen| begins.is_none_or(|begins| seen.when > begins)));
        all.sort_by_key(|seen| seen.when);
        // The first write may have been dropped.
        let is_first = self.about.dropped.is_none() || self.calls.was_made(object)?;
        let mut changes = sentences(&all, (history.before == 0 && is_first).then_some(&default));
        let more = changes.len().saturating_sub(LISTED);
        changes.truncate(LISTED);
        changes.extend((more > 0).then(|| format!("unrecorded code changed it {more} more times")));
        changes.extend((getters.len() > CALLS).then(|| {
            format!(
                "code that was not recorded may have changed it more often: of the {} calls that return the \
                 field, the first {CALLS} were looked at",
                getters.len()
            )
        }));
        Ok(changes)
    }

    /// The creation of an object, which leaves the field's default value.
    fn creation(&mut self, object: u32, default: &str) -> Result<Option<Sighting>, PastError> {
        if !self.calls.was_made(object)? {
            return Ok(None);
        }
        let Some(row) = self.calls.write_rows(object, CREATION)?.next() else { return Ok(None) };
        let when = self.calls.writes_in(row).first;
        let Some(node) = self.calls.call_at(when) else { return Ok(None) };
        let thread = self.calls.thread_of(node).unwrap_or_default();
        let node = self.calls.shown(node);
        Ok(Some(Sighting { when, thread, node, found: None, left: default.to_owned(), is_write: true }))
    }

    fn writes_seen(
        &mut self,
        class: &str,
        name: &str,
        history: &History,
    ) -> Result<Vec<Sighting>, PastError> {
        let mut all = Vec::new();
        for row in &history.writes {
            let is_meant = row.write.name.as_deref() == Some(name)
                && row.write.declared_by.as_deref() == Some(class)
                && row.run.is_none();
            let (true, Some(at), Some(node), Some(left)) = (is_meant, row.at, row.node, &row.write.new)
            else {
                continue;
            };
            all.push(Sighting {
                when: self.calls.when_at(at)?,
                thread: row.thread.clone(),
                node,
                found: row.write.old.clone(),
                left: left.clone(),
                is_write: true,
            });
        }
        Ok(all)
    }

    /// The calls that only return the field, of any object.
    fn calls_of_getters(&mut self, class: &str, name: &str) -> Vec<u32> {
        let methods: Vec<(u32, trace::Method)> =
            (0..).zip(self.calls.sites.methods().iter().cloned()).collect();
        let mut nodes = Vec::new();
        for (number, method) in methods {
            let returned = self.lines.returned_field(&method);
            let is_getter = returned.is_some_and(|(of, field)| {
                field == name && self.calls.sites.resolve_field(&of, name).as_deref() == Some(class)
            });
            if is_getter {
                for (thread, ..) in self.calls.threads() {
                    nodes.extend(self.calls.of_method(number, thread));
                }
            }
        }
        nodes
    }

    /// The results of the first of these calls, as far as they are calls on an object.
    fn results_of_getters(&mut self, getters: &[u32], object: u32) -> Result<Vec<Sighting>, PastError> {
        let mut all = Vec::new();
        for node in getters.iter().copied().take(CALLS) {
            let Some(call) = self.calls.call(node)?.filter(|call| call.this == Some(object)) else {
                continue;
            };
            let (Exit::Returned, Some(result)) = (call.exit, call.result) else { continue };
            let (Some(entry), Some(end)) = (self.calls.entry(node), self.calls.end(node)) else { continue };
            let (begins, when) = (self.calls.when_at(entry)?, self.calls.when_at(end)?);
            // Another thread can write between the read and the return.
            if begins.is_undisturbed_until(when) {
                let left = shown(&result, &self.calls.objects);
                let thread = self.calls.thread_of(node).unwrap_or_default();
                let node = self.calls.shown(node);
                all.push(Sighting { when, thread, node, found: Some(left.clone()), left, is_write: false });
            }
        }
        Ok(all)
    }
}

/// The changes between sightings, which are in the order of the run. `default` is the value before the first
/// of them, if that is the first of the run.
fn sentences(all: &[Sighting], default: Option<&String>) -> Vec<String> {
    let threads: BTreeSet<&str> = all.iter().map(|seen| seen.thread.as_str()).collect();
    let written: BTreeSet<&str> =
        all.iter().filter(|seen| seen.is_write).map(|seen| seen.left.as_str()).collect();
    let mut changes = Vec::new();
    let mut last: Option<&Sighting> = None;
    for seen in all {
        let node = seen.node;
        // The order of a write and a read in different threads is not exact.
        let found = seen.found.as_deref();
        let found = found.filter(|found| threads.len() == 1 || !written.contains(found));
        match (found, last) {
            (Some(found), Some(last)) if found != last.left => {
                let between = match last.node == node {
                    true => format!("in #{node}"),
                    false => format!("between #{} and #{node}", last.node),
                };
                changes.push(format!("its value changed to {found} {between}, {BY}"));
            }
            (Some(found), None) if default.is_some_and(|default| default != found) => {
                changes.push(format!("its value changed to {found} before the end of #{node}, {BY}"));
            }
            _ => {}
        }
        last = Some(seen);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(at: u32, thread: &str, found: Option<&str>, left: &str) -> Sighting {
        let (found, left, thread) = (found.map(str::to_owned), left.to_owned(), thread.to_owned());
        let is_write = found.as_ref() != Some(&left);
        Sighting { when: EventTime::of_numbers(1, 0, at), thread, node: at, found, left, is_write }
    }

    #[test]
    fn a_value_that_recorded_code_has_not_left_was_written_by_other_code() {
        let all = [
            seen(1, "main", None, "10"),
            seen(2, "main", Some("10"), "10"),
            seen(3, "main", Some("91"), "91"),
            seen(4, "main", Some("92"), "10"),
        ];
        let changes = sentences(&all, Some(&"0".to_owned()));
        assert_eq!(changes.len(), 2, "{changes:?}");
        assert!(changes[0].starts_with("its value changed to 91 between #2 and #3, by code"));
        assert!(changes[1].starts_with("its value changed to 92 between #3 and #4, by code"));
        let default = "0".to_owned();
        let read = [seen(5, "main", Some("0"), "0"), seen(6, "main", Some("91"), "91")];
        assert_eq!(sentences(&read, Some(&default)).len(), 1);
        assert!(sentences(&read[1..], Some(&default))[0].contains("before the end of #6"));
        assert!(sentences(&read[1..], None).is_empty());
    }

    /// The events of two threads can be in another order than their reads and writes.
    #[test]
    fn a_race_between_threads_is_no_unrecorded_write() {
        let all = [
            seen(1, "main", None, "10"),
            seen(2, "main", Some("10"), "11"),
            seen(3, "other", Some("10"), "10"),
            seen(4, "other", Some("11"), "11"),
        ];
        assert!(sentences(&all, Some(&"0".to_owned())).is_empty());
    }
}
