//! Facts about the whole program from its class files, for chains, slices and assertions.
//!
//! - `hierarchy` finds the superclasses of a class. `call_index` indexes the program's methods, their
//!   callers, and the writes to fields and arrays.
//! - `unseen_writers` finds calls that make changes without an event.
//! - `unseen_state` finds the objects whose state recordings do not have, and the methods that may change it.
//! - `purity` finds the methods that only compute values. `effect` knows the inputs and outputs of a call to
//!   a JDK method, `assertion_method` the value that an assertion of a test framework examines.
//! - `code_book` describes a site: its line, its assignment, its condition. `collected` lists what a point
//!   shows there.

pub mod assertion_method;
pub mod call_index;
pub mod code_book;
pub mod collected;
pub mod effect;
mod hierarchy;
#[cfg(test)]
mod jdk_rows;
pub mod purity;
mod unseen_state;
mod unseen_writers;

pub use hierarchy::{lineage, method_name};
pub use unseen_state::{UnseenUses, is_passing, is_unseen, unseen_types, unseen_uses};
pub use unseen_writers::{UnseenCalls, UnseenWriters};
