//! Chains of points: the answers of `qp replay` and `qp explain`, by both back ends.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod arms;
mod contents;
mod cost;
mod explained;
mod hidden_classes;
mod hostile;
mod hot;
mod imported;
mod invisible;
mod jdk_writes;
mod log;
mod namesakes;
mod narrowed;
mod own_frames;
mod refused_events;
mod repeat;
mod saved;
mod shown_values;
mod stack_values;
mod stop_there;
mod text;
mod traps;
mod unrepeated;
