//! Declarative debugging: an oracle judges calls as valid or invalid until one buggy call is left (Shapiro
//! 1983; JHyde §2.2).
//!
//! This room knows only the shape of execution trees and the verdicts about them. It knows no values,
//! programs or users.
//!
//! - `forest` is the shape of a run's execution trees, one for each outermost call of a thread.
//! - `suspects` holds the calls that can still be buggy; `situation` is the state that a strategy sees;
//!   `weights` sums the weights of trees; `fault_estimates` estimates from coverage which calls are invalid.
//! - `judgeable` counts and finds the calls that can be judged.
//! - `coverage` holds the entities that each call covers; `spectrum` weighs them by the runs that cover them.
//! - `strategy` has one file per strategy that chooses the next question, and a table of them.
//! - `diagnosis` is the state of one diagnosis, from the first question to the last.

mod coverage;
mod diagnosis;
mod fault_estimates;
mod forest;
mod judgeable;
mod situation;
mod spectrum;
mod strategy;
mod suspects;
mod verdict;
mod weights;

pub use coverage::{Coverage, CoverageBuilder};
pub use diagnosis::{Diagnosis, Step};
pub use forest::Forest;
pub use spectrum::{ochiai, suspicion};
pub use strategy::{Needs, STRATEGIES, Strategy, StrategyRow, strategy};
pub use verdict::{JudgedCall, Verdict};
