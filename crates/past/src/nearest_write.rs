//! The nearest write to a variable before or after an event. If the variable refers to a collection or
//! builder, changes of its contents count too.

use crate::direction::Direction;
use crate::error::PastError;
use crate::event::EventShown;
use crate::heap::held;
use crate::moment::Moment;
use crate::name::Variable;
use crate::recording::Recording;
use crate::state::NearestWrites;
use trace::{Calls, EventPosition, EventTime, Traced, TracedEvent, Value, WalkControl};

/// A write.
#[derive(Clone, Debug, PartialEq)]
pub struct NearestWrite {
    /// Its event.
    pub at: EventPosition,
    /// What it writes: the variable, or the contents of the collection that the variable refers to.
    pub variable: Variable,
}

impl Recording {
    /// The nearest write to a variable before or after a moment, in any thread, or the nearest change of the
    /// collection that it refers to there.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn nearest_write(
        &mut self,
        moment: Moment,
        direction: Direction,
        variable: &Variable,
    ) -> Result<Option<NearestWrite>, PastError> {
        let at = match variable {
            Variable::Local { node, .. } if *node != moment.at.node => {
                match seen_from(&mut self.calls, *node, moment.at)? {
                    Some(at) => at,
                    None => return Ok(None),
                }
            }
            _ => moment.at,
        };
        let moment = Moment { at, ..moment };
        let of = |recording: &mut Recording, variable: Variable| {
            let found = recording.write_of(moment, direction, &variable)?;
            Ok::<_, PastError>(found.map(|at| NearestWrite { at, variable }))
        };
        let written = of(self, variable.clone())?;
        let changed = match self.referred(moment, variable)? {
            Some(contents) => of(self, contents)?,
            None => None,
        };
        Ok(match (written, changed) {
            (Some(written), Some(changed)) => {
                let is_later = self.calls.when_at(written.at)? > self.calls.when_at(changed.at)?;
                let wants_later = direction == Direction::Back;
                Some(if is_later == wants_later { written } else { changed })
            }
            (written, changed) => written.or(changed),
        })
    }

    /// Why no write to a variable was found. The last write in the part of a run that was dropped has no
    /// event to go to, but is known.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn no_write(
        &mut self,
        moment: Moment,
        direction: Direction,
        variable: &Variable,
        name: &str,
    ) -> Result<PastError, PastError> {
        let dropped = match (direction, variable.key()) {
            (Direction::Back, Some((object, part))) => self.dropped_write(moment.when, object, part)?,
            _ => None,
        };
        let (name, side) = (name.trim(), direction.side());
        Ok(PastError::NoStep(match dropped {
            Some(place) => format!(
                "the last write to `{name}` {side} is in the part of the run that was dropped: {place}; a \
                 larger --max-size keeps more"
            ),
            None => format!("no write to `{name}` was recorded {side}"),
        }))
    }

    /// The method and line of the last write before a time that belongs to no recorded call.
    fn dropped_write(
        &mut self,
        when: EventTime,
        object: u32,
        part: u32,
    ) -> Result<Option<String>, PastError> {
        let mut last: Option<(EventTime, String)> = None;
        let rows = self.calls.write_rows(object, part)?;
        for row in rows.start..self.calls.row_from(&rows, when) {
            self.calls.each_write(self.calls.writes_in(row), |calls, seen| {
                let at = seen.when();
                let is_later = last.as_ref().is_none_or(|(known, _)| at > *known);
                if seen.node.is_none() && at < when && is_later {
                    let line = seen.line().map_or_else(String::new, |line| format!(", line {line}"));
                    let method = seen.method(calls).map_or_else(String::new, trace::Method::shown);
                    last = Some((at, format!("{method}{line}")));
                }
                WalkControl::Next
            })?;
        }
        Ok(last.map(|(_, place)| place))
    }

    /// A variable, and the contents of the collection that it refers to at a moment.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn with_contents(&mut self, moment: Moment, variable: Variable) -> Result<Vec<Variable>, PastError> {
        let contents = self.referred(moment, &variable)?;
        Ok([variable].into_iter().chain(contents).collect())
    }

    /// The contents of the collection, builder or stream that a variable refers to at a moment.
    fn referred(&mut self, moment: Moment, variable: &Variable) -> Result<Option<Variable>, PastError> {
        let value = match variable {
            Variable::Local { name, .. } => {
                let locals = self.locals_at(moment.at)?;
                locals.into_iter().find(|local| local.name == *name).map(|local| local.value)
            }
            Variable::Part { object, part } => held(&mut self.calls, *object, part, moment.when)?.value(),
            Variable::Contents { .. } => None,
        };
        match value {
            Some(Value::Object(object)) => self.contents_variable(object),
            _ => Ok(None),
        }
    }

    fn write_of(
        &mut self,
        moment: Moment,
        direction: Direction,
        variable: &Variable,
    ) -> Result<Option<EventPosition>, PastError> {
        match (variable, variable.key()) {
            (Variable::Local { name, .. }, _) => local_write(&mut self.calls, moment.at, direction, name),
            (_, Some((object, part))) => part_write(&mut self.calls, moment.when, direction, object, part),
            (_, None) => Ok(None),
        }
    }

    /// Whether an event writes one of these variables, and whether the call that the event makes does so
    /// below.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn is_written_by(
        &mut self,
        variables: &[Variable],
        at: EventPosition,
        event: &EventShown,
    ) -> Result<(bool, bool), PastError> {
        let (mut here, mut below) = (false, false);
        for variable in variables {
            match (variable, variable.key(), &event.call) {
                (Variable::Local { node, name }, ..) => {
                    here |= *node == at.node && event.event == "local" && event.name.as_ref() == Some(name);
                }
                (_, Some((object, part)), None) => {
                    let is_write =
                        self.calls.event_at(at, |calls, seen| calls.is_write_to(seen, object, &[part]))?;
                    here |= is_write == Some(true);
                }
                (_, Some((object, part)), Some(call)) => {
                    let (from, to) = self.calls.span(self.calls.own(call.node))?;
                    let rows = self.calls.write_rows(object, part)?;
                    let last = NearestWrites::of(&mut self.calls, &rows, from)?.last_at;
                    below |= last != NearestWrites::of(&mut self.calls, &rows, to)?.last_at;
                }
                (_, None, _) => {}
            }
        }
        Ok((here, below))
    }
}

/// The position of a call at the time of an event: where it makes the call in which the event is, or its
/// nearer end.
fn seen_from(calls: &mut Calls, node: u32, at: EventPosition) -> Result<Option<EventPosition>, PastError> {
    let around = std::iter::successors(Some(at), |at| calls.made_at(at.node)).find(|at| at.node == node);
    if around.is_some() {
        return Ok(around);
    }
    let Some(entry) = calls.entry(node) else { return Ok(None) };
    let is_before = calls.when_at(at)? < calls.when_at(entry)?;
    Ok(if is_before { Some(entry) } else { calls.end(node) })
}

fn local_write(
    calls: &mut Calls,
    at: EventPosition,
    direction: Direction,
    name: &str,
) -> Result<Option<EventPosition>, PastError> {
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
    when: EventTime,
    direction: Direction,
    object: u32,
    part: u32,
) -> Result<Option<EventPosition>, PastError> {
    let mut found: Option<(EventTime, EventPosition)> = None;
    let rows = calls.write_rows(object, part)?;
    // A row covers several writes. The nearest write is in the last row that begins before the event, or in
    // the first row that begins after it.
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
    Ok(found.map(|(_, standing)| standing))
}
