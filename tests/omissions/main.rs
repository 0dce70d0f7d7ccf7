//! Omissions: what should have happened to an object and did not.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod chains;
mod compared;
mod examples;
mod flips;
mod generated;
mod guards;
mod kept;
mod libraries;
mod limits;
mod made;
mod oracle;
mod paper;
mod several;
mod shapes;
mod sound;
mod suggested;
mod tested;
mod unrelated;
mod wanted;
