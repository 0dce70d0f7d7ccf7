//! Keys: events, objects and lines in words that another run of the program shares, or a run of another
//! version. `key_finder` finds them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The keys of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keys {
    /// By id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub events: BTreeMap<u64, EventKey>,
    /// By number, as it is shown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub objects: BTreeMap<u32, ObjectKey>,
    /// By file and number: `Example.java:14`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub lines: BTreeMap<String, LineKey>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventKey {
    /// The name of its thread. A later thread with the same name has its number behind it: `worker (2)`.
    pub thread: String,
    /// Its kind, by the functor of its term.
    pub kind: String,
    /// Its method, field or class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Of a step: its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<LineKey>,
    /// Its number among those of that kind and thread, from 1.
    pub ordinal: u64,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectKey {
    /// Its class.
    pub class: String,
    /// The thread in which it was born.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The method in which it was born.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born_in: Option<String>,
    /// The line at which it was born.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub born_at: Option<LineKey>,
    /// Its number among those of that class, thread, method and line, from 1.
    pub ordinal: u64,
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineKey {
    /// The method that contains it, where nothing else says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Its distance from the first recorded line of the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<u16>,
    /// Its text, trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl LineKey {
    /// Whether both are one line of one method.
    pub fn is_same(&self, other: &LineKey) -> bool {
        match (&self.text, &other.text) {
            (Some(own), Some(other)) => own == other,
            _ => self.offset == other.offset,
        }
    }
}

impl ObjectKey {
    /// Whether both are one object.
    pub fn is_same(&self, other: &ObjectKey) -> bool {
        let is_line_same = match (&self.born_at, &other.born_at) {
            (Some(own), Some(other)) => own.is_same(other),
            (own, other) => own == other,
        };
        let without_line = |key: &ObjectKey| ObjectKey { born_at: None, ..key.clone() };
        is_line_same && without_line(self) == without_line(other)
    }
}
