//! The call tree of a method (JavaTA §4.2, *Call Tree*).

use super::asked::{Asked, Query, Word};
use crate::answer::{Answer, AnswerRow};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::Source;

/// The call tree of a call.
pub const TREE: Query = Query {
    name: "tree",
    about: "The calls that a call made, directly and indirectly, with what they returned",
    words: &[Word::new(
        "EVENT",
        "the number of the `methodcall` event; of another event, the call around it",
    )],
    choices: &[],
    example: "tree 4",
    ask: tree,
};

fn tree(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let found = source.found(asked.id(0)?)?;
    let root = match found.event.kind {
        Kind::MethodCall => found.event.call(),
        _ => source.enclosing(&found.event),
    };
    let Some(root) = root else {
        let note = "no recorded call encloses the event".to_owned();
        return Ok(Answer { notes: vec![note], ..Answer::default() });
    };
    let last = root.saturating_add(source.recording.calls.below(root));
    let mut answer = Answer::default();
    let mut open = vec![root];
    for node in root..=last {
        if answer.rows.len() >= asked.limit {
            answer.more = true;
            break;
        }
        while node != root
            && let Some(inner) = open.last()
            && source.recording.calls.parent(node) != Some(*inner)
        {
            open.pop();
        }
        let depth = if node == root { 0 } else { open.len() };
        if node != root {
            open.push(node);
        }
        let Some(entry) = source.entry_of(node)? else { continue };
        let mut row = source.row(&entry)?;
        row.depth = u32::try_from(depth).unwrap_or(u32::MAX);
        row.value = result_of(source, node)?;
        answer.rows.push(AnswerRow::Event(Box::new(row)));
    }
    Ok(answer)
}

/// What a call returned, or how it ended otherwise.
pub fn result_of(source: &mut Source, node: u32) -> Result<Option<String>, LogicError> {
    use past::CallShown;
    let Some(call) = CallShown::of(&mut source.recording.calls, node)? else { return Ok(None) };
    Ok(match (call.result, call.exception, call.open) {
        (Some(result), ..) => Some(result),
        (None, Some(exception), _) => Some(format!("threw {exception}")),
        (None, None, Some(open)) => Some(open.to_owned()),
        (None, None, None) => None,
    })
}
