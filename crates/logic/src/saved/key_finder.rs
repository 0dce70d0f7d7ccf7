//! Finds the keys of what an answer names.
//!
//! A line is its text. Without the source, it is its distance from the first line of its method.

use super::event_keys::events;
use super::form::SavedAnswer;
use super::keys::{Keys, LineKey};
use super::mentions::Mentions;
use super::object_keys::objects;
use super::run_names::RunNames;
use crate::error::LogicError;
use crate::names::source_file;
use crate::search::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

impl SavedAnswer {
    /// Adds the keys of what the answer names. Sources that were changed after `recorded` are not read.
    ///
    /// # Errors
    /// The events cannot be read, or `goes_on` stopped the work.
    pub fn with_keys(
        mut self,
        source: &mut Source,
        recorded: Option<SystemTime>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<SavedAnswer, LogicError> {
        self.keys = keys(&Mentions::of(&self.reply), &mut RunNames::new(source, recorded), goes_on)?;
        Ok(self)
    }
}

/// The keys of what an answer names.
///
/// # Errors
/// The events cannot be read, or `goes_on` stopped the work.
pub(super) fn keys(
    mentions: &Mentions,
    names: &mut RunNames<'_>,
    goes_on: &dyn Fn() -> bool,
) -> Result<Keys, LogicError> {
    Ok(Keys {
        events: events(&mentions.events, names, goes_on)?,
        objects: objects(&mentions.objects, names)?,
        lines: lines(&mentions.lines, names),
    })
}

/// The keys of lines.
fn lines(wanted: &BTreeSet<(String, u16)>, names: &mut RunNames<'_>) -> BTreeMap<String, LineKey> {
    if wanted.is_empty() {
        return BTreeMap::new();
    }
    // By file and line, a method with code there.
    let mut known: BTreeMap<(String, u16), u32> = BTreeMap::new();
    let sites = &names.source.recording.calls.sites;
    for site in sites.all() {
        let (Some(method), Some(line)) = (sites.method(site.method), site.line) else { continue };
        let file = source_file(method).into_owned();
        if wanted.range((file.clone(), 0)..=(file.clone(), u16::MAX)).next().is_some() {
            known.entry((file, line)).or_insert(site.method);
        }
    }
    let mut keys = BTreeMap::new();
    for (file, line) in wanted {
        // Or the method that comes closest from above.
        let before = known.range((file.clone(), 0)..=(file.clone(), *line)).next_back();
        let key = match before.map(|(_, method)| *method) {
            Some(method) => {
                let of = names.method(method).map(|of| of.to_string());
                LineKey { method: of, ..names.line(method, *line) }
            }
            None => LineKey::default(),
        };
        keys.insert(format!("{file}:{line}"), key);
    }
    keys
}
