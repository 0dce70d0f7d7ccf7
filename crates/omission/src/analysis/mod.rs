//! Omissions: operations on an object that the program has in its code and did not execute, and the jumps
//! at which each of them was lost (Omission Finder, Sakurai & Masuhara, SAC 2015; docs/omissions.md).
//!
//! - `bodies` has the code of methods as graphs.
//! - `points_to` knows which objects an instruction may use, and where an object was made: the allocation
//!   that fits all events that name it. `kept` takes the analysis of an earlier run if nothing changed;
//!   `recorded_code` is the program that both read.
//! - `executed` finds what each call executed in a window of a recording, and how often each branch went
//!   which way.
//! - `operations` finds the use sites (`use_site`) that can change the object, `chains` the calls that lead
//!   to them.
//! - `jumps` finds the executed jumps from which an operation can only be reached by unexecuted code.
//! - `heap_walk` evaluates the untaken code with the recorded values, as far as they are known. By that
//!   `judge` decides whether a `candidate` is about the object. `pass_locals` has the variables at the passes
//!   of jumps.
//! - `find` puts these together (Figure 9), `describe` says what was found, and `order` sorts it.

mod bodies;
mod candidate;
mod chains;
mod describe;
mod executed;
mod find;
mod heap_walk;
mod judge;
mod jumps;
mod kept;
mod operations;
mod order;
mod pass_locals;
mod points_to;
mod program;
mod recorded_code;
mod suggestion;
mod unrelated;
mod use_site;

pub use executed::Window;
pub use find::{Found, Limits, find};
pub use kept::{AnalysisStore, analyse};
pub use program::AnalysedProgram;
pub use suggestion::{Certainty, Jump, JumpKind, JumpPass, Operation, Passes, Place, Suggestion};
pub use unrelated::{DeclaredTarget, unrelated};
pub use use_site::Target;
