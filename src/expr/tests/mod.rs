//! Tests of the room: parsing, checks before the run, evaluation on a fake heap, and Java itself as the
//! oracle.

mod arithmetic;
mod checking;
mod evaluating;
mod fake;
mod oracle;
mod parsing;
