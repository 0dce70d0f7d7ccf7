//! Every trap of `tests/fixtures`, asked through the real `qp`. Each test asks the question in a fixture's
//! comment, and asserts the answer given there.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod candidates;
mod changes;
mod conditions;
pub mod fixture;
mod handlers;
mod into_call;
mod limits;
mod locals;
mod origins;
mod points;
mod returns;
mod runs;
mod watching;
mod wrapped;
