//! The random programs test's rooms: a program is generated (`generate`), written twice (`render`), run with
//! a log (`log`), its graph is drawn from its own syntax (`graph`), and questions (`questions`) get the
//! answers that follow (`oracle`). `judge` asks `qp` and compares (`compare`); what is wrong is made smaller
//! (`shrink`) and saved (`fixture`). `recorded` compares the log with what `qp trace record` has recorded.

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
