//! The Java Event Log of a recording: events of nine kinds, with ids in the order in which they happened
//! (JavaTA §3, Table 2). docs/jel.md describes the events and what the paper leaves open.
//!
//! The log is never stored. `derive` makes its events from those of the recording, one block at a time.
//! `index` knows the first id of each block, and `reader` decodes the blocks that a question needs.
//! `mask` lets a search skip blocks. `event` is an event in memory, `term` writes it as a Prolog term through
//! a [`TermBuilder`], and `prolog_text` builds such a term as text. `variables` knows which local variables
//! are visible at a step. `facts` says which objects and classes have events of their own.

mod derive;
mod event;
mod facts;
mod index;
mod kind;
mod mask;
mod prolog_text;
mod reader;
mod sequence;
mod term;
mod variables;

pub use event::{DecodedBlock, LogEvent};
pub use index::{BlockSummary, LogIndex};
pub use kind::Kind;
pub use mask::Mask;
pub use prolog_text::PrologText;
pub use reader::Log;
pub use sequence::{Sequence, SequenceBlock};
pub use term::{Caught, TermBuilder, Terms};
pub(super) use variables::{VariableTables, Variables};
