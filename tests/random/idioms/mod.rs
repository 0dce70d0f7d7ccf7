//! The parts of the test of idioms. `generate` makes a program, from `expressions` and the fixed types of
//! `library`. `writer` writes it twice line by line, and `truth` runs it with its log. `judge` asks `qp` and
//! compares its answers, its recordings, and each program with itself.

pub mod expressions;
pub mod generate;
pub mod judge;
pub mod library;
pub mod statements;
pub mod truth;
pub mod values;
pub mod writer;
