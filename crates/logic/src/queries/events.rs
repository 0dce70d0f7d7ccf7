//! A part of the log (JavaTA §4.2, *Execution History Subset*).

use super::asked::{Asked, Choice, Query};
use crate::answer::{Answer, EventRow};
use crate::error::LogicError;
use crate::search::{Candidates, Pattern, Source};

/// A part of the log.
pub const EVENTS: Query = Query {
    name: "events",
    about: "The events of the log, or a part of them",
    words: &[],
    choices: &[Choice::Thread, Choice::Range, Choice::Kinds],
    example: "events --from 4 --to 12",
    ask: events,
};

fn events(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    listed(source, asked, asked.pattern(&asked.kinds))
}

/// The events that fit a pattern.
pub(super) fn listed(source: &mut Source, asked: &Asked, pattern: Pattern) -> Result<Answer, LogicError> {
    let mut candidates = Candidates::of(pattern, source)?;
    let plan = vec![candidates.access().to_string()];
    let (mut rows, mut more): (Vec<EventRow>, bool) = (Vec::new(), false);
    while let Some(found) = candidates.next(source)? {
        if rows.len() == asked.limit {
            more = true;
            break;
        }
        rows.push(source.row(&found)?);
    }
    Ok(Answer { plan, more, ..Answer::of_events(rows) })
}
