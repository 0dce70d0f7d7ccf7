//! The nearest change of a variable before or after an event.

use super::Direction;
use super::variable::{EventScope, Variable};
use crate::error::SessionError;
use trace::{Calls, EventPosition, EventTime, Traced, TracedEvent, WalkControl};

/// The nearest write to a variable. If the variable refers to a collection or builder, changes of
/// its contents count too. Returns the event and the variable that it changes.
///
/// # Errors
/// The events cannot be read.
pub(super) fn nearest(
    scope: &mut EventScope<'_>,
    direction: Direction,
    variable: &Variable,
) -> Result<Option<(EventPosition, Variable)>, SessionError> {
    let at = scope.at;
    let written = write_of(scope.calls, at, direction, variable)?.map(|at| (at, variable.clone()));
    let changed = match scope.collection(variable)? {
        Some((collection, part)) => {
            let contents = Variable::Parts(collection, vec![part]);
            write_of(scope.calls, at, direction, &contents)?.map(|at| (at, contents))
        }
        None => None,
    };
    Ok(match (written, changed) {
        (Some(written), Some(changed)) => {
            let is_later = scope.calls.when_at(written.0)? > scope.calls.when_at(changed.0)?;
            let wants_later = direction == Direction::Back;
            Some(if is_later == wants_later { written } else { changed })
        }
        (written, changed) => written.or(changed),
    })
}

fn write_of(
    calls: &mut Calls,
    at: EventPosition,
    direction: Direction,
    variable: &Variable,
) -> Result<Option<EventPosition>, SessionError> {
    match variable {
        Variable::Local(_, name) => local_write(calls, at, direction, name),
        Variable::Parts(object, parts) => part_write(calls, at, direction, *object, parts),
    }
}

fn local_write(
    calls: &mut Calls,
    at: EventPosition,
    direction: Direction,
    name: &str,
) -> Result<Option<EventPosition>, SessionError> {
    let mut found = None;
    let writes = |seen: &TracedEvent<'_>| {
        let named = seen.site.written.as_ref().is_some_and(|written| written.name == name);
        (named && matches!(seen.site.what, Traced::Local { .. })).then(|| seen.position()).flatten()
    };
    match direction {
        Direction::Back => calls.events_until(at, |_, seen| found = writes(seen).or(found))?,
        Direction::Forward => calls.events_after(at, |_, seen| {
            found = writes(seen);
            found.is_none()
        })?,
    }
    Ok(found)
}

fn part_write(
    calls: &mut Calls,
    at: EventPosition,
    direction: Direction,
    object: u32,
    parts: &[u32],
) -> Result<Option<EventPosition>, SessionError> {
    let when = calls.when_at(at)?;
    let mut found: Option<(EventTime, EventPosition)> = None;
    for part in parts {
        let rows = calls.write_rows(object, *part)?;
        // A row covers several writes. The nearest write is in the last row that begins before the event, or
        // in the first row that begins after it.
        let low = calls.row_from(&rows, when);
        let near = low.saturating_sub(1)..low.saturating_add(2);
        for row in near.filter(|row| rows.contains(row)) {
            calls.each_write(calls.writes_in(row), |_, seen| {
                let at = seen.when();
                let (is_wanted, is_nearer) = match direction {
                    Direction::Back => (at < when, found.is_none_or(|(known, _)| at > known)),
                    Direction::Forward => (at > when, found.is_none_or(|(known, _)| at < known)),
                };
                if is_wanted && is_nearer {
                    found = seen.position().map(|standing| (at, standing)).or(found);
                }
                WalkControl::Next
            })?;
        }
    }
    Ok(found.map(|(_, standing)| standing))
}
