//! `querypoint`: finds the cause of a reproducible bug in a JVM program by running it again.
//!
//! The rooms, from the top down (docs/ARCHITECTURE.md has the map):
//! `ui` renders, `command` names what can be asked, `session` runs a chain to its answer, `chain` translates Querypoints
//! to TraceQueries, `locate` picks the right occurrence, `run` watches one execution, `query` is what it watches for,
//! `trace` keeps recorded runs, `declarative` chooses which of their calls to ask about, `expr`, `classes` and `debuggee` are the expression
//! language, the class files and the relaunched process, `model` the nouns they share, `files` how files are written.

pub mod chain;
pub mod classes;
pub mod command;
pub mod debuggee;
pub mod declarative;
pub mod expr;
pub mod files;
pub mod locate;
pub mod model;
pub mod query;
pub mod run;
pub mod session;
pub mod trace;
pub mod ui;
