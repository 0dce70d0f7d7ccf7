//! Declarative debugging: someone says of calls whether they are right, until one method is left that is
//! wrong (Shapiro 1983; JHyde §2.2).
//!
//! This room knows the shape of an execution tree and answers about it; of values, programs and people it
//! knows nothing.
//!
//! - `forest` is the shape of the execution trees of a run, one for each thread's outermost call.
//! - `suspects` are the calls that can be buggy after some answers; `situation` is what a strategy sees,
//!   `weights` what trees weigh, `odds` how likely calls are invalid by what they have covered.
//! - `countable` counts and finds the calls that can be judged at all.
//! - `coverage` is what calls have covered of the code.
//! - `strategy` has a file for each way to choose the next question, and their table.
//! - `diagnosis` goes from question to answer to its end.

mod countable;
mod coverage;
mod diagnosis;
mod forest;
mod odds;
mod situation;
mod strategy;
mod suspects;
mod verdict;
mod weights;

pub use coverage::{Coverage, CoverageMaker};
pub use diagnosis::{Diagnosis, Step};
pub use forest::Forest;
pub use strategy::{Needs, STRATEGIES, Strategy, StrategyRow, strategy};
pub use verdict::{Answered, Verdict};
