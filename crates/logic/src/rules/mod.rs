//! Users' rules over a log: a Prolog machine whose facts are relations over the recording, never loaded.
//!
//! - `event` is the relation `event/3`. `arguments` reads what a goal asks for as a pattern, `heap` builds
//!   terms on the machine's heap.
//! - `predefined` makes each predefined query a predicate, `enclosing` has the relations on which the library
//!   stands.
//! - `state` has the fields of objects.
//! - `library` has the predicates of the paper, as they should be, and as the paper prints them.
//! - `ask` asks a goal.

mod arguments;
mod ask;
mod enclosing;
mod event;
mod heap;
mod library;
mod predefined;
mod state;

pub use ask::{AskItem, AskOptions, Asked, AskedSolution, Rules, RulesError};
pub use event::SharedSource;
pub use library::PAPER;
