//! One run: the program is launched, its VM watched by JDWP, and what happens turned into occurrences.
//!
//! JDWP ids never leave this room.
//!
//! - [`execute`] launches, connects and watches one run until it ends, or is [`Halted`] with its program
//!   alive.
//! - `attach` finds the VM of a program that another command launches.
//! - `watches` lists by name where to interrupt the program; `install` puts that into the VM.
//! - `recording` has a run recorded instead of watched.
//! - `greeting` connects to a VM, and `watched` is the VM with what was put into it. `live` is the run while
//!   it is on.
//! - `watcher` takes the interruptions, and hands what was found to an [`Observer`]. `hits` knows what each
//!   interruption means, `caller_frame` those whose values stand in a frame below their event's.
//! - `candidates` makes candidates of hits and keeps them until they are taken. It has parts for the work:
//!   `queries` (the TraceQueries by number), `threads` (the state of each interrupted thread), `filter`
//!   (counts hits, and drops those that a question excludes), `collect` and `describe`.
//! - `activations` tells the activations of a method apart, `arms` the arms of an expression.
//! - `collect` and `machine` read values; `content` reads what objects are and hold, `describe` does so for
//!   candidates.
//! - `reachability` notices which methods and classes were reached, to explain a point that was never hit.

mod activations;
mod arms;
mod attach;
mod caller_frame;
mod candidates;
mod collect;
mod content;
mod describe;
mod error;
mod filter;
mod further;
mod greeting;
mod halted;
mod hits;
mod install;
mod interrupt;
mod launch;
mod live;
mod machine;
mod observer;
mod probes;
mod queries;
mod questions;
mod reachability;
mod recording;
mod report;
mod requests;
mod stop;
mod threads;
mod vm;
mod watched;
mod watcher;
mod watches;

pub use error::{BrokeOff, RunError};
pub use greeting::VmFacts;
pub use halted::{Halted, Stage};
pub use interrupt::Interrupt;
pub use launch::{Aboard, Launch, execute};
pub use live::Outcome;
pub use observer::{Control, Observer, ObserverError};
pub use probes::{Counted, Gate, SiteHits, Varied};
pub use questions::{More, Questions};
pub use recording::Recording;
pub use report::{ClassReport, Ended, QueryReport, RunReport, Sample, Tally, Visit};
pub use watches::Marks;
