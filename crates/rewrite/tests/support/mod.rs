//! What the tests of rewriting share, with the compiler of the tests of `bytecode`.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "every test file uses its own part")]

#[path = "../../../bytecode/tests/support/mod.rs"]
mod compiled;
pub mod rewriting;

pub use compiled::*;
