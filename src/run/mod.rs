//! One run: the debuggee is launched, its VM watched by JDWP, and what happens turned into occurrences.
//!
//! This room may use `debuggee`, `classes`, `expr`, `query`, `model` and the crates `jdwp` and `bytecode`. JDWP ids
//! never leave it.
//!
//! - [`execute`] launches, connects and watches one run until it ends, or is [`Halted`] with its program alive.
//! - `attach` finds the VM of a program that another command launches.
//! - `watches` says what to interrupt at by name, `install` puts it into the VM.
//! - `recording` has a run recorded instead of watched.
//! - `notice` says what else happened, to explain a point that never hit.
//! - `watcher` and `hits` turn interruptions into occurrences that `admit` lets through, and tell an [`Observer`]; `older` has those that stand in
//!   an older frame than their event; `activations` tells activations apart; `arms` tells the
//!   arms of expressions apart; `collect` and `machine` read values;
//!   `content` reads what objects are and hold, and `describe` does so for candidates.

mod activations;
mod admit;
mod arms;
mod attach;
mod collect;
mod content;
mod describe;
mod error;
mod halted;
mod hits;
mod install;
mod launch;
mod machine;
mod notice;
mod observer;
mod older;
mod probes;
mod recording;
mod report;
mod stop;
mod vm;
mod watched;
mod watcher;
mod watches;

pub use error::{BrokeOff, RunError};
pub use halted::Halted;
pub use launch::{Aboard, Interrupt, Launch, More, Outcome, Questions, Stage, VmFacts, execute};
pub use observer::{Control, Observer, ObserverError};
pub use probes::{Counted, Gate, SiteHits, Varied};
pub use recording::Recording;
pub use report::{ClassReport, Ended, QueryReport, RunReport, Sample, Tally, Visit};
pub use watches::Marks;
