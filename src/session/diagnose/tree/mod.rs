//! The execution tree that a diagnosis asks about.
//!
//! - `nodes` are its nodes: calls, and executions of loops, which `loops` finds.
//! - `branch_coverage` counts the branches that each call has covered; `def_use` its chains from a definition
//!   to a use.

pub mod branch_coverage;
pub mod def_use;
pub mod loops;
pub mod nodes;
