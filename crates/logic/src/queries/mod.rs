//! The predefined queries (JavaTA §4): one file each, with a [`Query`] that `QUERIES` lists. Command lines,
//! predicates and docs come from the table.

mod after;
mod arguments;
mod around;
mod asked;
mod before;
mod calls;
mod chain;
mod did;
mod events;
mod find;
mod history;
mod instances;
mod lines;
mod members;
mod names;
mod object;
mod state;
mod subtypes;
mod threads;
mod tree;
mod wheres;

pub use asked::{Asked, Choice, Query, Word};
pub use state::{FieldState, SetBy, field_states};

/// The predefined queries, in the order in which help lists them.
pub const QUERIES: &[Query] = &[
    wheres::THROWN,
    wheres::SET,
    wheres::CALLED,
    wheres::CREATED,
    chain::CHAIN,
    around::AROUND,
    object::OBJECT,
    before::BEFORE,
    after::AFTER,
    history::HISTORY,
    arguments::ARGUMENTS,
    arguments::RESULTS,
    instances::INSTANCES,
    threads::THREADS,
    events::EVENTS,
    tree::TREE,
    did::DID,
    calls::CALLS,
    find::FIND,
    lines::LINES,
];
