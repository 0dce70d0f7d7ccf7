//! Random programs compared with a log of the truth.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod agree;
mod assertions;
mod conditions;
mod dice;
mod idioms;
mod idioms_agree;
mod origins;
mod pinned;
mod programs;
mod repeats_itself;
