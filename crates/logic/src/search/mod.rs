//! Finds the events of a log that fit a pattern, through the indexes of the recording.
//!
//! - `pattern` is what is asked for, `wanted` a value in it. `prepared` translates both to numbers of the
//!   recording, and tests events.
//! - `access` chooses the cheapest way to the candidates: one event by its id, the calls of methods, the
//!   writes to an object, or the blocks of the log.
//! - `candidates` goes through them in the order of their ids, many blocks on several threads (`parallel`).
//! - `source` is an open recording with its log. `enclosing` finds the calls around an event, and `row` shows
//!   an event.

mod access;
mod candidates;
mod enclosing;
mod found;
mod parallel;
mod pattern;
mod prepared;
mod row;
mod source;
mod wanted;

pub use access::Access;
pub use candidates::Candidates;
pub use enclosing::End;
pub use found::Found;
pub use pattern::{Owner, Pattern};
pub use source::Source;
pub use wanted::Wanted;
