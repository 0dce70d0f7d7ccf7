//! Every trap of `tests/fixtures`, asked through the real `qp`: each test is the question of a fixture's
//! comment, and what it asserts is the answer there.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod candidates;
mod changes;
mod conditions;
pub mod fixture;
mod handlers;
mod limits;
mod locals;
mod origins;
mod points;
mod returns;
mod runs;
mod watching;
