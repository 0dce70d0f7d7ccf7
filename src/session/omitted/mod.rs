//! Finds what should have happened to an object and did not (docs/omissions.md).
//!
//! - `point` finds the event at which the object is wrong, and `target` the object.
//! - `question` asks: it finds the omissions of a recording, or records a program first.

mod point;
mod question;
mod target;

pub use point::WrongPoint;
pub use question::{OmissionAnswer, OmissionQuestion, ask_omissions};
