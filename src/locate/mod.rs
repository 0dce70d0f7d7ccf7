//! The locator: occurrences in, located points out (paper §3 and §5, Fig. 3; DESIGN §3).
//!
//! This room is pure: it knows no VM and does no I/O, so whatever watched an execution (JDWP events, probes,
//! an imported trace) feeds the same locator and gets the same answers. It may use `model`, `query` and
//! petgraph.
//!
//! - [`Graph`]: which point depends on which, and through which constraints.
//! - `check`: whether a candidate satisfies a constraint, given the point that the constraint names.
//! - [`Locator`]: keeps candidates until the points they depend on are located, then decides.
//! - `log` and `prune`: how a million candidates stay in bounded memory.
//! - [`PointReport`]: what became of each point's hits, and why a point was not located.

mod check;
mod error;
mod graph;
mod locator;
mod log;
mod prune;
mod report;
mod track;

#[cfg(test)]
mod brute;
#[cfg(test)]
mod random;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tests;

pub use error::LocateError;
pub use graph::Graph;
pub use locator::{Locator, Options, Progress};
pub use report::{PointReport, Rejection, Unlocated};
pub use track::Located;
