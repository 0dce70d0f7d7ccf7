//! Reads the identity and contents of objects from their fields, without running code of the program.
//!
//! - `layout` interprets the fields of a class; `objects` computes layouts.
//! - `descriptions` reads immutable facts: boxes, enum constants, dates, messages of exceptions.
//! - `contents` reads current contents: elements, pairs, fields. `collections` knows the JDK's collections.
//! - `lambda` finds the code that a lambda calls.

mod collections;
mod contents;
mod descriptions;
mod lambda;
mod layout;
mod objects;
mod replies;

pub use contents::contents;
pub use descriptions::{DescribedObjects, describe};
pub use layout::Layouts;
