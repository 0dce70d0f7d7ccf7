//! Finds what should have happened to an object and did not (docs/omissions.md).
//!
//! - `recording` records a run with what the question needs.
//! - `point` finds the event at which the object is wrong, and `target` the object.
//! - `question` finds the omissions of a recording, and tries them if the user wants that.
//! - `confirm` runs the program with a jump taken the other way, in a `work_copy`, and compares the
//!   `outcome` with what is `wanted`, or with what a `right_version` has there.

mod confirm;
mod outcome;
mod point;
mod question;
mod recording;
mod right_version;
mod target;
mod wanted;
mod work_copy;

pub use confirm::{Confirmation, Verdict};
pub use point::WrongPoint;
pub use question::{OmissionAnswer, OmissionQuestion, SUGGESTIONS, TriedSuggestion, WITHIN, ask_omissions};
pub use recording::record_for;
pub use wanted::{Wanted, WantedOutput};
