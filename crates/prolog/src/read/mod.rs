//! Reads clauses: tokens by a pest grammar, terms by an operator precedence parser without recursion.

pub(crate) mod clauses;
pub(crate) mod error;
pub(crate) mod operators;
pub(crate) mod parser;
mod tokens;
