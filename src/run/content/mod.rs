//! Reads the identity and contents of objects from their fields, without running code of the program.
//!
//! - `layout` interprets the fields of a class; `objects` computes layouts.
//! - `told` reads immutable facts: boxes, enum constants, dates, messages of exceptions.
//! - `held` reads current contents: elements, pairs, fields. `collections` knows the JDK's collections.
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
