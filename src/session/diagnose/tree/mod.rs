//! The execution tree that a diagnosis asks about.
//!
//! - `nodes` are its nodes: calls, and executions of loops, which `loops` finds.
//! - `branch_coverage` computes the branches that each node covers, `def_use` its def-use chains.

pub mod branch_coverage;
pub mod def_use;
pub mod loops;
pub mod nodes;
