//! The answers to queries: data that front ends show, and that are saved and compared.

use super::log::Kind;
use model::ExceptionCause;
use serde::{Deserialize, Deserializer, Serialize};

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The query, as it was asked.
    pub query: String,
    /// *Yes* or *no*, if the query is a question of that kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub yes: Option<bool>,
    /// The rows of the answer.
    pub rows: Vec<AnswerRow>,
    /// Whether there are more rows than were wanted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// What the answer may lack, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How the events were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
}

/// A row of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "row", rename_all = "snake_case")]
pub enum AnswerRow {
    /// An event.
    Event(Box<EventRow>),
    /// A value of a variable at an event.
    Value(ValueRow),
    /// An object or the state of a method: a heading for the rows after it.
    Heading {
        /// The text.
        text: String,
    },
    /// A number of something.
    Count {
        /// What is counted.
        what: String,
        /// The number.
        count: u64,
        /// The first event of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// The last event of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<u64>,
    },
}

/// The value of a field, element, variable, argument or result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ValueRow {
    /// What has the value, such as `Rec@7.bar`, `result` or `argument 1`.
    pub name: String,
    /// The value; `None` if unknown.
    pub value: Option<String>,
    /// The event that gave it the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// Whether it was never set, so that it has the default value of its type.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_default: bool,
}

/// The functor of an event's term.
type Functor = &'static str;

/// An event of the log, with its values in Java syntax.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Its id.
    pub id: u64,
    /// The name of its thread.
    pub thread: String,
    /// Its kind, by the functor of its term.
    #[serde(deserialize_with = "kind")]
    pub kind: Functor,
    /// The number of its call, as `qp trace` shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    /// Its source file and line: `Example.java:14`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The method in which it happened: `Example.mN`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The receiver of a call, the owner of a field, or the array, collection or exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// The name of the method or field; for a class, its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The arguments of a call; `None` if its entry was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// The value written or returned, or the message of an exception.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The causes of an exception, each the cause of the one before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<ExceptionCause>,
    /// The id of the call, for an exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// Where an exception was caught: a place, `uncaught`, or `unrecorded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caught: Option<String>,
    /// For an uncaught exception: where a recorded handler for uncaught exceptions got it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// The visible variables at a step, or the fields of a class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<(String, String)>,
    /// How deep the row is below the first one, in a tree.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}

fn kind<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    let name = String::deserialize(from)?;
    let known = Kind::named(&name).map(Kind::functor);
    known.ok_or_else(|| serde::de::Error::custom(format_args!("`{name}` is no kind of event")))
}

impl Answer {
    /// An answer with rows for events.
    pub fn of_events(rows: Vec<EventRow>) -> Answer {
        Answer {
            rows: rows.into_iter().map(|row| AnswerRow::Event(Box::new(row))).collect(),
            ..Answer::default()
        }
    }
}
