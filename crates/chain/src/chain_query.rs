//! Queries of a chain: goals that are asked over a recording of the debuggee.

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;

/// The level at which the debuggee is recorded for the queries of a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordedLevel {
    /// Calls.
    Calls,
    /// Also writes to fields and elements.
    Writes,
    /// Everything.
    #[default]
    All,
}

impl RecordedLevel {
    pub(super) fn is_default(&self) -> bool {
        *self == RecordedLevel::default()
    }

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            RecordedLevel::Calls => "calls",
            RecordedLevel::Writes => "writes",
            RecordedLevel::All => "all",
        }
    }
}

/// A goal with the expected answers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChainQuery {
    /// The goal.
    pub ask: String,
    /// Files of rules, relative to `cwd`: one name, or a list of names.
    #[serde(default, skip_serializing_if = "RuleFiles::is_empty")]
    pub rules: RuleFiles,
    /// Time limit of the goal, in seconds; if absent, 300.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
    /// The expected answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<QueryExpect>,
}

/// The expected answers of a goal. Absent fields are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryExpect {
    /// Number of solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solutions: Option<usize>,
    /// Minimum number of solutions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<usize>,
    /// Whether there is a solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<bool>,
    /// All solutions in order: `X = 1, Y = o('Rec', 43)`; `true` for one without variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<String>>,
    /// The first solution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
}

impl QueryExpect {
    /// Whether it expects nothing.
    pub(super) fn is_empty(&self) -> bool {
        *self == QueryExpect::default()
    }
}

/// Names of files, written as one string or as a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleFiles(pub Vec<PathBuf>);

impl RuleFiles {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for RuleFiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RuleFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleFiles, D::Error> {
        struct Files;
        impl<'de> Visitor<'de> for Files {
            type Value = RuleFiles;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a file of rules, or a list of names")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<RuleFiles, E> {
                Ok(RuleFiles(vec![PathBuf::from(name)]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<RuleFiles, A::Error> {
                let mut files = Vec::new();
                while let Some(name) = names.next_element::<PathBuf>()? {
                    files.push(name);
                }
                Ok(RuleFiles(files))
            }
        }
        deserializer.deserialize_any(Files)
    }
}
