//! Chains: saved Querypoints, and their translation to TraceQueries (paper §3 and §4, DESIGN §5 and §6).
//!
//! `format` is the file, `validate` and `error` say what is wrong with it and where, `kinds` has one file per
//! kind of point, `translate` makes the TraceQueries, `explain` shows them. This room may use `query`,
//! `expr`, `classes`, `model` and `bytecode`; it knows no run and no located point.

mod address;
mod copies;
mod error;
mod explain;
mod format;
mod kinds;
mod spans;
mod translate;
mod validate;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use error::{ChainError, Fault, InvalidChain};
pub use explain::{Edge, Explanation, GraphFormat, Row};
pub(crate) use format::options;
pub use format::{Chain, Debuggee, Expect, FORMAT, Guards, Point, Ready};
pub use kinds::{Kind, is_call};
pub(crate) use spans::{inside, trimmed};
pub(crate) use translate::classes::Classes;
pub use translate::{Learned, LearnedPoint, Need, Refusal, TranslateError, Translation, remember, translate};
