//! The threads and whether they have exited (JavaTA §4.2).

use super::asked::{Asked, Choice, Query};
use super::events::listed;
use crate::answer::Answer;
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::Source;

/// The threads.
pub const THREADS: Query = Query {
    name: "threads",
    about: "The threads, when they began and ended",
    words: &[],
    choices: &[Choice::Thread, Choice::Range],
    example: "threads",
    ask: threads,
};

fn threads(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let mut answer = listed(source, asked, asked.pattern(&[Kind::ThreadStart, Kind::ThreadDeath]))?;
    let calls = &source.recording.calls;
    for (thread, name, _) in calls.threads() {
        let is_wanted = asked.thread.as_ref().is_none_or(|wanted| calls.is_named(thread, wanted));
        if is_wanted && !calls.ends.contains_key(&thread) {
            answer.notes.push(format!("thread {name} had not exited when the recording ended"));
        }
    }
    Ok(answer)
}
