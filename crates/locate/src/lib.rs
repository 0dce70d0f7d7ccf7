//! The locator turns occurrences into located points (paper §3 and §5, Fig. 3; DESIGN §3).
//!
//! This room is pure: it knows no VM and does no I/O. Every source of occurrences (JDWP events, probes, a
//! recording) feeds the same locator and gets the same answers. It may use `model`, `query` and petgraph.
//!
//! - [`Graph`]: the dependencies between points, with their constraints.
//! - `check`: whether a candidate satisfies a constraint, given the constraint's point.
//! - [`Locator`]: keeps candidates until the points they depend on are located, then decides.
//! - `log` and `prune`: keep memory bounded for a million candidates.
//! - [`PointReport`]: counts each point's hits, and says why a point was not located.

mod check;
mod error;
mod graph;
mod locator;
mod log;
mod prune;
mod report;
mod track;

pub use error::LocateError;
pub use graph::Graph;
pub use locator::{Locator, Options, Progress};
pub use report::{PointReport, Rejection, Unlocated};
pub use track::Located;
