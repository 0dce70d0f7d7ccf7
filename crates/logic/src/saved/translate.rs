//! Says a query about one run in the names of another: its events and objects are found by their keys.

use super::event_keys::event_with;
use super::key_finder::keys;
use super::keys::{EventKey, Keys, ObjectKey};
use super::mentions::{Mentions, Piece, pieces};
use super::object_keys::object_with;
use super::run_names::RunNames;
use crate::error::LogicError;
use crate::queries::{Asked, Query};
use crate::search::Source;
use std::collections::HashMap;
use std::time::SystemTime;

/// The names in a query, with their keys.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    keys: Keys,
}

/// The names of the other run, by those of the first.
#[derive(Default)]
struct Names {
    events: HashMap<u64, u64>,
    objects: HashMap<u32, u32>,
}

impl Translation {
    /// Reads the keys of what a query names in its own run.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn of(
        query: &Query,
        asked: &Asked,
        source: &mut Source,
        recorded: Option<SystemTime>,
    ) -> Result<Translation, LogicError> {
        let mut mentions = Mentions::default();
        let words = query.words.iter().zip(&asked.words);
        for (word, text) in words {
            match text.parse() {
                Ok(id) if word.name == "EVENT" => drop(mentions.events.insert(id)),
                _ => mentions.text(text),
            }
        }
        mentions.events.extend(asked.at.iter().chain(&asked.from).chain(&asked.to));
        asked
            .value
            .iter()
            .chain(asked.arguments.iter().map(|(_, text)| text))
            .for_each(|text| mentions.text(text));
        Ok(Translation { keys: keys(&mentions, &mut RunNames::new(source, recorded), &|| true)? })
    }

    /// The query in the names of another run.
    ///
    /// # Errors
    /// The other run has no such event or object, or its events cannot be read.
    pub fn for_other(
        &self,
        query: &Query,
        asked: &Asked,
        source: &mut Source,
        recorded: Option<SystemTime>,
    ) -> Result<Asked, LogicError> {
        let mut names = Names::default();
        let mut run = RunNames::new(source, recorded);
        for (id, key) in &self.keys.events {
            let found = event_with(key, &mut run)?;
            let found = found.ok_or_else(|| missing(format!("event {id}"), event_text(key)))?;
            names.events.insert(*id, found);
        }
        for (number, key) in &self.keys.objects {
            let found = object_with(key, &mut run)?;
            let found = found.ok_or_else(|| missing(format!("object {number}"), object_text(key)))?;
            names.objects.insert(*number, found);
        }
        let event = |id: &mut Option<u64>| *id = id.map(|id| names.events.get(&id).copied().unwrap_or(id));
        let mut other = asked.clone();
        [&mut other.at, &mut other.from, &mut other.to].into_iter().for_each(event);
        for (word, text) in query.words.iter().zip(&mut other.words) {
            *text = match text.parse() {
                Ok(id) if word.name == "EVENT" => names.events.get(&id).copied().unwrap_or(id).to_string(),
                _ => names.text(text),
            };
        }
        for text in other.value.iter_mut().chain(other.arguments.iter_mut().map(|(_, text)| text)) {
            *text = names.text(text);
        }
        Ok(other)
    }
}

impl Names {
    fn text(&self, text: &str) -> String {
        let piece = |piece: Piece<'_>| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Object(class, number) => {
                format!("{class}@{}", self.objects.get(&number).copied().unwrap_or(number))
            }
        };
        pieces(text).into_iter().map(piece).collect()
    }
}

fn missing(name: String, what: String) -> LogicError {
    LogicError::NotInOtherRun { name, what }
}

fn event_text(key: &EventKey) -> String {
    let of = key.of.as_ref().map(|of| format!(" of {of}")).unwrap_or_default();
    format!("{} {}{of} in thread {}", key.kind, key.ordinal, key.thread)
}

fn object_text(key: &ObjectKey) -> String {
    let born = key.born_in.as_ref().map(|method| format!(" born in {method}")).unwrap_or_default();
    let at = key
        .born_at
        .as_ref()
        .and_then(|at| at.text.as_ref())
        .map(|at| format!(" at `{at}`"))
        .unwrap_or_default();
    format!("number {} of class {}{born}{at}", key.ordinal, key.class)
}
