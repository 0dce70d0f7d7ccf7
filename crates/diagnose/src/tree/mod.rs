//! The execution tree that a diagnosis asks about.
//!
//! - `nodes` are its nodes: calls, and executions of loops, which `loops` finds.
//! - `shape` arranges them as trees, and says what each node covers: by branches (`branch_coverage`) or by
//!   def-use chains (`def_use`).

pub mod branch_coverage;
pub mod def_use;
pub mod loops;
pub mod nodes;
pub mod shape;
