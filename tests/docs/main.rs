//! The project's files and pages: layers, sentences, documented commands and limits.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod file_graph;
mod house;
mod layers;
mod manual;
mod signatures;
