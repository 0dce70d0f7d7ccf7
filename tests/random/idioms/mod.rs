//! The rooms of the test of idioms: a program of what people write is generated (`generate`, from
//! `expressions` and the fixed types of `library`), written twice line by line (`writer`), and run with its
//! log (`truth`). `judge` asks `qp` and compares its answers, its recordings, and each program with itself.

pub mod expressions;
pub mod generate;
pub mod judge;
pub mod library;
pub mod statements;
pub mod truth;
pub mod values;
pub mod writer;
