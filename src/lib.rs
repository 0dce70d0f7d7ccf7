//! `querypoint`: finds the cause of a reproducible bug in a JVM program by running it again.
//!
//! This package has the front ends and the program `qp`. Each other room is a crate in `crates/`;
//! docs/ARCHITECTURE.md has the map.

pub mod ui;
