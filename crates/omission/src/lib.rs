//! Finds what should have happened to an object and did not (docs/omissions.md).
//!
//! - `recording` records a run with what the question needs.
//! - `point` finds the event at which the object is wrong, and `target` the object.
//! - `asked` is the question and the answer. `finding` finds the omissions of a recording, and `trials`
//!   tries them if the user wants that. `analysis_folder` keeps the analysis of the program.
//! - `flip` says which jump goes the other way in a run, and at which pass. `other_passes` says it for more
//!   runs, and `thrown` is the jump before a `throw`.
//! - `confirm` makes that run, in a `work_copy` (made by `folder_copy`), or in the folder itself, where files
//!   are `put_back`. It compares the `outcome` with what is `wanted`, or with what a `right_version` has
//!   there, at the `same_line`.

mod agreement;
pub mod analysis;
mod analysis_folder;
mod asked;
mod confirm;
mod failed_test;
mod finding;
mod flip;
mod folder_copy;
mod learned;
mod other_passes;
mod outcome;
mod parts;
mod point;
mod put_back;
mod recording;
mod right_version;
mod same_line;
mod target;
mod thrown;
mod trials;
mod wanted;
mod work_copy;

pub use analysis::{Certainty, JumpKind, Limits, Place, Suggestion};
pub use analysis_folder::AnalysisFolder;
pub use asked::{OmissionAnswer, OmissionQuestion, SUGGESTIONS, TriedSuggestion, WITHIN};
pub use confirm::{Confirmation, Verdict};
pub use finding::ask_omissions;
pub use flip::FlippedPasses;
pub use point::{WrongPoint, failure_point};
pub use recording::record_for;
pub use wanted::{Wanted, WantedOutput};
