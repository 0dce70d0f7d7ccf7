//! Finds the calls that were entered before a time.

use super::calls::Calls;
use super::error::TraceError;
use super::event_time::EventTime;
use std::ops::Range;

impl Calls {
    /// The calls that were entered before a time, of each thread. Reads a few events of each.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn entered_before(&mut self, when: EventTime) -> Result<Vec<Range<u32>>, TraceError> {
        let mut found = Vec::new();
        for (thread, ..) in self.threads() {
            let Range { start, end } = self.of_thread(thread);
            // The calls of a thread are in the order in which they were entered.
            let (mut before, mut behind) = (start, end);
            while before < behind {
                let middle = before + (behind - before) / 2;
                if self.span(middle)?.0 < when {
                    before = middle + 1;
                } else {
                    behind = middle;
                }
            }
            found.push(start..before);
        }
        Ok(found)
    }
}
