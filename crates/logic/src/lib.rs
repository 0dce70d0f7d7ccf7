//! Logic queries over a recording (JavaTA): the run as a log of events, in the terms of the field.
//!
//! - `log` derives the events of the Java Event Log (JEL, JavaTA §3) from a recording, and numbers them.
//! - `search` finds the events that fit a pattern, through the indexes of the recording.
//! - `queries` has a file for each predefined query; `answer` is what queries answer.
//! - `plan` finds what has to be recorded for a goal.
//! - `rules` asks goals by users' rules.
//! - `saved` keeps answers, makes them comparable, and compares them.
//! - `names` has the names of classes and files.
//!
//! This room is pure: it reads an open recording, runs no program and writes no file.

mod answer;
mod error;
pub mod log;
mod names;
pub mod plan;
pub mod queries;
pub mod rules;
pub mod saved;
pub mod search;

pub use answer::{Answer, AnswerRow, EventRow, ValueRow};
pub use error::LogicError;
