//! The chain of calls that enclose an event (JavaTA §4.1, Figure 4).

use super::asked::{Asked, Query, Word};
use crate::answer::Answer;
use crate::error::LogicError;
use crate::search::Source;

/// The chain of calls around an event.
pub const CHAIN: Query = Query {
    name: "chain",
    about: "The calls that enclose an event, with their arguments, the innermost first",
    words: &[Word::new("EVENT", "the number of the event")],
    choices: &[],
    example: "chain 15",
    ask: chain,
};

fn chain(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let found = source.found(asked.id(0)?)?;
    let all = source.chain(&found.event);
    let mut rows = Vec::new();
    for node in all.iter().take(asked.limit) {
        if let Some(entry) = source.entry_of(*node)? {
            rows.push(source.row(&entry)?);
        }
    }
    Ok(Answer { more: all.len() > asked.limit, ..Answer::of_events(rows) })
}
