//! The parts of the random program test. `generate` makes a program, `render` writes it twice, and `log`
//! reads its log. `graph` builds its graph from its own syntax. `questions` makes questions with the answers
//! that `oracle` derives. `judge` asks `qp`, and `compare` compares. A wrong program is made smaller
//! (`shrink`) and saved (`fixture`). `recorded` compares the log with recordings of `qp trace record`.

pub mod ast;
pub mod compare;
mod expressions;
pub mod fixture;
pub mod generate;
pub mod graph;
pub mod judge;
pub mod log;
pub mod oracle;
pub mod questions;
pub mod recorded;
pub mod render;
pub mod shrink;
pub mod tables;
pub mod trace;
