//! The last calls of some methods.

use std::collections::BTreeMap;
use trace::{Calls, EventTime, TraceError};

/// The last call of each of some methods, in any thread, that was entered before the end of a call, or of the
/// run; in the order of time.
///
/// # Errors
/// The events cannot be read.
pub fn last_calls(
    calls: &mut Calls,
    end_of: Option<u32>,
    is_meant: &dyn Fn(u32) -> bool,
) -> Result<Vec<u32>, TraceError> {
    let end = match end_of {
        Some(call) => calls.span(call)?.1,
        None => EventTime::END,
    };
    let mut last: BTreeMap<u32, (EventTime, u32)> = BTreeMap::new();
    for entered in calls.entered_before(end)? {
        let mut own: BTreeMap<u32, u32> = BTreeMap::new();
        for call in entered {
            own.extend(calls.method_number(call).filter(|method| is_meant(*method)).map(|of| (of, call)));
        }
        for (method, call) in own {
            let begun = (calls.span(call)?.0, call);
            last.entry(method).and_modify(|known| *known = begun.max(*known)).or_insert(begun);
        }
    }
    let mut last: Vec<(EventTime, u32)> = last.into_values().collect();
    last.sort_unstable();
    Ok(last.into_iter().map(|(_, call)| call).collect())
}
