//! Programs that wrappers start, that listen on another host, or that serve requests.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod caught;
mod launchers;
mod remote;
mod servers;
mod several_vms;
mod used_programs;
