//! Omissions: what should have happened to an object and did not.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod examples;
mod limits;
mod paper;
mod suggested;
