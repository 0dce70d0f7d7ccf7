//! Saved answers: an answer with what is needed to show it later and to compare it with another.
//!
//! - `form` is the content of a file. `term` is a value of a goal as data.
//! - `id_types` infers which integers of a solution are ids of events.
//! - `mentions` collects the events, objects and lines that an answer names. `keys` describes each of them in
//!   words that another run shares, and `key_finder` finds the keys
//!   (`event_keys`, `object_keys`) by names that other runs share (`run_names`).
//! - `parts` splits an answer into comparable rows, and `compare` compares two answers.
//! - `translate` says a query about one run in the names of another.

mod compare;
mod event_keys;
mod form;
pub(crate) mod id_types;
mod key_finder;
mod keys;
mod mentions;
mod object_keys;
mod parts;
mod run_names;
mod term;
mod translate;

pub use compare::{AnswerDifference, ChangedPart, Ignored, RowDifference, RowSide, compare};
pub use form::{
    FORMAT, SavedAnswer, SavedGoal, SavedItem, SavedQuestion, SavedRecording, SavedReply, SavedRules,
    SavedSolution,
};
pub use keys::{EventKey, Keys, LineKey, ObjectKey};
pub use parts::ComparedRow;
pub use term::SavedTerm;
pub use translate::Translation;
