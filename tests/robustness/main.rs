//! Bad input, VMs that die, hosts with little room, and what must stay private.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod dead_vms;
mod privacy;
mod scarce;
mod strangers;
mod trust;
