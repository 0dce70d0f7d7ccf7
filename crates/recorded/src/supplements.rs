//! Finds the calls of a recorded run that were recorded later in more detail.

use super::open::RecordedTrace;
use super::rerecord::joined;
use past::Recording;
use session::{Context, SessionError};
use trace::{Calls, EventTime, Level};

/// A call that was recorded later, with all calls below it.
pub(super) struct Supplement {
    /// The name of the later run: that of its folder in `details`.
    pub run: String,
    /// The number of the call in the first run.
    pub node: u32,
    /// The later recording. Its calls and objects have the numbers of the first run.
    pub trace: RecordedTrace,
}

/// The calls that were recorded later at one of these levels, in the order of their entries in the first run.
/// A call inside another one is left out, unless it has more detail.
///
/// # Errors
/// A recording cannot be read, or is of another execution.
pub(super) async fn later(
    trace: &mut RecordedTrace,
    levels: &[Level],
    context: &Context,
) -> Result<Vec<Supplement>, SessionError> {
    let RecordedTrace { folder, recording: Recording { calls, .. }, memory, .. } = trace;
    let mut known: Vec<(u32, Level)> = folder.details();
    known.retain(|(node, level)| levels.contains(level) && calls.entry(*node).is_some());
    let mut left = Vec::new();
    for (node, level) in &known {
        let is_better = |(other, more): &(u32, Level)| match other == node {
            true => more > level,
            false => more >= level && is_below(calls, *node, *other),
        };
        if !known.iter().any(is_better) {
            left.push((calls.span(*node)?.0, *node, *level));
        }
    }
    left.sort_by_key(|(when, node, _): &(EventTime, u32, Level)| (*when, *node));
    let mut found = Vec::new();
    for (_, node, level) in left {
        let path = folder.detail(node, level);
        let opened = RecordedTrace::open(&path, *memory, context).await?;
        let run = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        found.push(Supplement { run, node, trace: joined(calls, node, opened, context).await? });
    }
    Ok(found)
}

/// Whether a call is one of those below another.
fn is_below(calls: &Calls, node: u32, other: u32) -> bool {
    node > other && node - other <= calls.below(other)
}

/// The levels with more detail than this one.
pub(super) fn above(level: Level) -> Vec<Level> {
    [Level::Writes, Level::All].into_iter().filter(|more| *more > level).collect()
}
