//! The terms of a running machine: cells on a heap, numbers and texts beside them, and the trail.

mod bucket;
pub(crate) mod cell;
mod compare;
mod heap;
mod unify;
mod values;

pub(crate) use bucket::Bucket;
pub(crate) use cell::{Cell, Tag};
pub(crate) use heap::{Mark, Store};
