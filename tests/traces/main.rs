//! Recordings: what `qp trace` records and shows, and the differences that `qp diff` finds.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod contents;
mod damaged;
mod derived_lines;
mod diff;
mod dropped;
mod early;
mod files;
mod given;
mod gone;
mod jdk;
mod later;
mod overflows;
mod owners;
mod pack;
mod pins;
mod places;
mod recorder;
mod steering;
mod step;
mod text;
mod threads;
mod throws;
mod unrecorded;
mod values;
mod views;
mod window;
