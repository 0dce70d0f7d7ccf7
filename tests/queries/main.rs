//! Logic queries: the log of a recording, predefined queries and users' rules tell the truth.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code, reason = "other tests use the rest of it")]
#[path = "../random/programs/mod.rs"]
mod programs;

mod brute;
mod histories;
mod index_file;
mod jel;
mod large;
mod limits;
mod log;
mod oracle;
mod paper;
mod planned;
mod predefined;
mod recordings;
mod statements;
