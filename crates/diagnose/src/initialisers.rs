//! The class initialisers that ran inside a call. What they alone changed says nothing about the call: the
//! first use of a class runs its initialiser, whatever call that is in.

use std::ops::{Range, RangeInclusive};
use trace::{Calls, EventTime, TraceError, WalkControl};

/// The class initialisers inside a call, with the calls that they made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassInitialisers {
    calls: Vec<RangeInclusive<u32>>,
}

impl ClassInitialisers {
    /// Those that ran inside a call. If it is an initialiser itself, it does not count.
    pub fn inside(calls: &Calls, node: u32) -> ClassInitialisers {
        let end = node.saturating_add(calls.below(node));
        let mut found = Vec::new();
        if let Some(thread) = calls.thread_number(node) {
            for (method, of) in (0..).zip(calls.sites.methods()) {
                if of.name != "<clinit>" {
                    continue;
                }
                let inside = calls.of_method(method, thread).into_iter();
                let inside = inside.filter(|call| *call > node && *call <= end);
                found.extend(inside.map(|call| call..=call.saturating_add(calls.below(call))));
            }
        }
        ClassInitialisers { calls: found }
    }

    /// Whether they alone wrote a part of an object during a time.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn alone_wrote(
        &self,
        calls: &mut Calls,
        object: u32,
        part: u32,
        during: Range<EventTime>,
    ) -> Result<bool, TraceError> {
        if self.calls.is_empty() {
            return Ok(false);
        }
        let rows = calls.write_rows(object, part)?;
        // A row that begins before the start can extend past it.
        let first = calls.row_from(&rows, during.start).saturating_sub(1).max(rows.start);
        let (mut is_written, mut by_others) = (false, false);
        for row in first..rows.end {
            let writes = calls.writes_in(row);
            if by_others || writes.first >= during.end {
                break;
            }
            calls.each_write(writes, |_, seen| {
                if seen.when() >= during.end || by_others {
                    return WalkControl::Stop;
                }
                if seen.when() >= during.start {
                    is_written = true;
                    let is_in = |node| self.calls.iter().any(|calls| calls.contains(&node));
                    by_others = !seen.node.is_some_and(is_in);
                }
                WalkControl::Next
            })?;
        }
        Ok(is_written && !by_others)
    }
}
