//! Bad input, dying VMs, hosts with little memory or disk, and privacy.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod bad_input;
mod dead_vms;
mod interrupted;
mod mutated;
mod privacy;
mod scarce;
mod strangers;
mod trust;
