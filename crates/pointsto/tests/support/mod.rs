//! Programs to analyse, compiled with the installed `javac`.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, unused_imports, reason = "every test file uses its own part")]

#[path = "../../../bytecode/tests/support/mod.rs"]
mod compiled;
pub mod generated;
pub mod library;

pub use compiled::{compile_text, compile_to_bytes, javac};
