//! The commands that serve other programs: a page (`serve`), an editor (`dap`), an agent (`mcp`).
//!
//! Each has its arguments, the requests that a program sends, and their typed results. The protocols, and the
//! texts of results, are in the front ends.

pub mod dap;
pub mod mcp;
pub mod serve;
