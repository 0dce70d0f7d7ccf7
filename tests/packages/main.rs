//! Packages, made of the built `qp` and installed as a user would.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod installed;
mod scripts;
