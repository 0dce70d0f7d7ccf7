//! Answers to queries that are kept: saved, shown, compared, and expected by chains.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod chain_queries;
mod compared;
mod coroutines;
mod failures;
mod languages;
mod named_lines;
mod saved;
mod shops;
mod translated;
