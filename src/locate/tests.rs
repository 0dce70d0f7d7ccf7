//! The locator by example: small runs written by hand.

use super::*;
use crate::model::{FrameKey, Occurrence, ShapeKey, StackKey, ThreadKey, Value};
use crate::query::{Constraint, Event, LocalConditions, PointIndex, TraceQuery};

/// An occurrence without anything but its TraceQuery and its place in the run.
pub(super) fn occurrence(query: u16, sequence: u64) -> Occurrence {
    Occurrence {
        sequence,
        query,
        thread: ThreadKey(0),
        frame: FrameKey(0),
        stack: StackKey::EMPTY,
        activation: None,
        owner: Value::Null,
        old: Value::Unassigned,
        new: Value::Unassigned,
        way: None,
        shape: ShapeKey::NONE,
        kept: Box::default(),
        detail: None,
    }
}

/// A TraceQuery that watches for nothing in particular.
pub(super) fn query(point: u16, constraints: Vec<Constraint>, index: i64) -> TraceQuery {
    let id = char::from(b'A' + (point % 26) as u8).to_string();
    TraceQuery {
        point: PointIndex(point),
        id: id.into(),
        event: Event::Reached(Vec::new()),
        constraints,
        index,
        keep: Vec::new(),
        local: LocalConditions::default(),
        collect: None,
    }
}
