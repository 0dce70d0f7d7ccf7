//! Declarative debugging: the questions of `qp diagnose`, and the call it finds.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod assertions;
mod assertions_of_jdk;
mod coverage;
mod dialogue;
mod failing_tests;
mod faults;
mod influence;
mod kept_runs;
mod loop_nodes;
mod loops;
mod members;
mod mocks;
mod passing;
mod questions;
mod ranking;
mod readable;
mod rebuilt;
mod reference;
mod runs_beside;
mod runs_code;
mod runs_of_calls;
mod slices;
mod strategies;
mod text;
mod typed_conditions;
mod used_changes;
mod values;
mod versions;
mod violations;
mod wrong_values;
