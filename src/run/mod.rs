//! One run: the program is launched, its VM watched by JDWP, and what happens turned into occurrences.
//!
//! JDWP ids never leave this room.
//!
//! - [`execute`] launches, connects and watches one run until it ends, or is [`Halted`] with its program
//!   alive.
//! - `attach` finds the VM of a program that another command launches.
//! - `watches` lists by name where to interrupt the program; `install` puts that into the VM.
//! - `recording` has a run recorded instead of watched.
//! - `watcher` and `hits` turn interruptions into occurrences, `filter` drops those that a question excludes,
//!   and an [`Observer`] gets the rest. `caller_frame` has the occurrences whose values stand in a frame
//!   below their event's.
//! - `activations` tells the activations of a method apart, `arms` the arms of an expression.
//! - `collect` and `machine` read values; `content` reads what objects are and hold, `describe` does so for
//!   candidates.
//! - `reachability` notices which methods and classes were reached, to explain a point that was never hit.

mod activations;
mod arms;
mod attach;
mod caller_frame;
mod collect;
mod content;
mod describe;
mod error;
mod filter;
mod halted;
mod hits;
mod install;
mod launch;
mod machine;
mod observer;
mod probes;
mod reachability;
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
