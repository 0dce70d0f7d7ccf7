//! What class files say about the whole program. Chains, slices and assertions stand on it.
//!
//! - `hierarchy` has the superclasses of a class; `call_index` the methods of the program, who calls them,
//!   and what writes fields and arrays.
//! - `purity` tells which methods do nothing but compute values; `effect` what a call of a JDK method depends
//!   on, and what depends on it.

pub mod call_index;
pub mod effect;
mod hierarchy;
pub mod purity;

pub use hierarchy::{lineage, method_name};
