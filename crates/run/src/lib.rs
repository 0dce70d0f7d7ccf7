//! One run: launches the program, watches its VM through JDWP, and turns events into occurrences.
//!
//! JDWP ids never leave this room.
//!
//! - [`execute`] launches, connects and watches one run until it ends, or is [`Halted`] with its program
//!   alive.
//! - `attach` finds the VM of a program that another command launches.
//! - `watches` lists by name where to interrupt the program; `install` sets those watches in the VM.
//! - `recording` starts the recording of a run that is recorded instead of watched.
//! - `greeting` reads the facts of a VM that has connected. `watched` is the VM with its watches. `live` is a
//!   run in progress.
//! - `watcher` receives the interruptions, and passes occurrences to an [`Observer`]. `hits` interprets each
//!   kind of interruption, `exceptions` those by exceptions. `caller_frame` handles occurrences in an older
//!   frame than their event.
//! - `candidates` makes candidates from hits and keeps them until they are taken. Its parts are `queries`
//!   (the TraceQueries by number), `threads` (the state of each interrupted thread), `filter` (counts hits,
//!   and drops those that a question excludes), `collect` and `describe`.
//! - `activations` distinguishes the activations of a method, `arms` the arms of an expression.
//! - `collect` and `machine` read values; `content` reads identity and contents of objects, and `describe`
//!   uses it for candidates.
//! - `reachability` records which methods and classes were reached, to explain a point that was never hit.

mod activations;
mod arms;
mod attach;
mod caller_frame;
mod candidates;
mod collect;
mod content;
mod describe;
mod error;
mod exceptions;
mod filter;
mod greeting;
mod halted;
mod hits;
mod install;
mod interrupt;
mod lacking_vm;
mod launch;
mod live;
mod loaded;
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
mod twins;
mod unwatched_vms;
mod vm;
mod watched;
mod watcher;
mod watches;

pub use error::{BrokeOff, RunError};
pub use greeting::VmFacts;
pub use halted::{Halted, Stage};
pub use interrupt::Interrupt;
pub use launch::{AgentRole, Launch, execute};
pub use live::Outcome;
pub use observer::{Control, LacksClass, Observer, ObserverError};
pub use probes::{Gate, HitCounts, HitWindow, SiteHits};
pub use questions::{FurtherQuestions, Questions};
pub use recording::Recording;
pub use report::{ClassReport, Ended, RunReport};
pub use unwatched_vms::UnwatchedVm;
pub use watches::Marks;
