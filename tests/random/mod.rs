//! The random programs test's rooms: a program is generated (`generate`), written twice (`render`), run with a log
//! (`log`), its graph is drawn from its own syntax (`graph`), and questions get the answers that follow (`oracle`).

pub mod ast;
mod expressions;
pub mod generate;
pub mod graph;
pub mod log;
pub mod oracle;
pub mod questions;
pub mod render;
pub mod rng;
pub mod trace;
