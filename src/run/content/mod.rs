//! What objects are and hold, read from their fields. No code of the program runs for it.
//!
//! - `layout` is what the fields of a class mean; `objects` finds that out.
//! - `told` reads what never changes: boxes, enum constants, dates, messages of exceptions.
//! - `held` reads what objects hold at the moment: elements, pairs, fields. `collections` knows the JDK's
//!   collections.
//! - `lambda` finds the code that a lambda calls.

mod collections;
mod held;
mod lambda;
mod layout;
mod objects;
mod replies;
mod told;

pub use held::held;
pub use layout::Layouts;
pub use told::{Which, tell};
