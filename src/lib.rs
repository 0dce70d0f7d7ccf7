//! `querypoint`: finds the cause of a reproducible bug in a JVM program by running it again.
//!
//! The rooms, from the top down (docs/ARCHITECTURE.md has the map):
//!
//! - `ui` renders, `command` has a file for each command, `session` runs programs and decides what to ask of
//!   them.
//! - `alignment`, `assertions`, `slice` and `inspect` read recordings; `declarative` chooses the call to ask
//!   about next.
//! - `chain` translates Querypoints to TraceQueries, `locate` picks the right occurrence, `run` watches one
//!   execution.
//! - `trace` keeps recordings. `program` and `classes` read class files, `debuggee` launches the program.
//! - `query`, `expr` and `model` are the nouns they share: TraceQueries, Java expressions, sites, values and
//!   occurrences.
//! - `files` writes files privately and whole.

pub mod command;
pub mod ui;
