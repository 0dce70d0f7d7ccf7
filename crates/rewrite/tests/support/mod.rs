//! What the tests of rewriting share, with the compiler of the tests of `bytecode`.
#![allow(dead_code, reason = "every test file uses its own part")]

#[path = "../../../bytecode/tests/support/mod.rs"]
mod compiled;
pub mod rewriting;

pub use compiled::*;
