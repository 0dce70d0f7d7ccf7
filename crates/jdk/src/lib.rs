//! Facts about the methods of the JDK: what they read, write, store, return and call, and whether they are
//! pure. One [`Row`] describes one method. To add a method, add a row to the table of its theme in `table/`.
//!
//! A row can describe several methods at once (see [`Row`]). Where several rows match a method, the most
//! precise one that states a fact wins. So the row of a package states the facts that its methods share, and
//! the rows of classes and methods state exceptions. The row of a bootstrap method describes the instruction
//! that it links.
//!
//! Class names are binary names. Lookups take them with dots or with slashes, and array types in either
//! notation (`int[]`, `[I`). This crate does no I/O and has no dependencies, because the agent in the VM
//! links it.
#![forbid(unsafe_code)]

mod class;
mod facts;
pub mod layouts;
mod lookup;
mod pattern;
mod row;
mod table;
#[cfg(test)]
mod tests;

pub use class::{Asked, Class, Finds, Function, Keeps, class, classes, is_immutable};
pub use class::{takes_comparators, takes_functions};
pub use facts::{
    Arrays, At, Calls, Change, Contents, Counts, Elements, Facts, Fields, Holds, Objects, Place, Reads,
    Returns, TextChange, Writes,
};
pub use lookup::{changes_contents, changes_text, facts, inherited, of_collection, rows};
pub use pattern::same as is_same_class;
pub use row::{Descriptor, Row};
