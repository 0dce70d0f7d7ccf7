//! Chains: saved Querypoints, and their translation to TraceQueries (paper §3 and §4, DESIGN §5 and §6).
//!
//! `format` is the content of the file, `chain_query` the queries in it, and `chain_file` reads and writes
//! it. `validate` finds mistakes in it, and `error` shows where they are. `kinds` has one file per kind of
//! point. `translate` makes the TraceQueries, and `explain` shows them. This room may use `program`,
//! `query`, `expr`, `classes`, `model` and `bytecode`; it knows no runs and no located points.

mod address;
mod chain_file;
mod chain_query;
mod copies;
mod error;
mod explain;
mod format;
mod kinds;
mod ron_options;
mod spans;
mod translate;
mod validate;

#[cfg(test)]
mod tests;

pub use address::Address;
pub use chain_query::{ChainQuery, QueryExpect, RecordedLevel, RuleFiles};
pub use classes::{SourceEncoding, SourcePaths};
pub use error::{ChainError, Fault, InvalidChain};
pub use explain::{Edge, Explanation, GraphFormat, Row};
pub use format::{Chain, Debuggee, Expect, FORMAT, Guards, Point, Ready};
pub use kinds::{Kind, is_call};
pub use ron_options::options;
pub use spans::{inside, trimmed};
pub use translate::classes::Classes;
pub use translate::{
    Learned, LearnedPoint, Need, Refusal, TranslateError, Translation, remember, translate, translate_log,
};
pub use wire::Pins;
