//! A variable that is watched from anywhere in a recording.

use super::Direction;
use super::changes::nearest;
use super::variable::{EventScope, Variable};
use super::view::writes;
use crate::error::SessionError;
use inspect::event::EventShown;
use inspect::locals::KnownLocals;
use trace::{Calls, EventPosition};

/// A local variable of a call, a field, an element, or the contents of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedVariable {
    variable: Variable,
    /// Its name, as the user wrote it.
    pub name: String,
}

impl WatchedVariable {
    /// The variable that a name means before an event. `known` has variables from which reading goes on, and
    /// then those at the event.
    ///
    /// # Errors
    /// No variable has this name there, or the events cannot be read.
    pub(in crate::recorded) fn named(
        name: &str,
        calls: &mut Calls,
        at: EventPosition,
        known: &mut Option<KnownLocals>,
    ) -> Result<WatchedVariable, SessionError> {
        *known = KnownLocals::before(known.take(), calls, at)?;
        let variable = EventScope::of(calls, at, known.as_ref())?.variable(name)?;
        Ok(WatchedVariable { variable, name: name.to_owned() })
    }

    /// The nearest write to the variable, or change of the collection that it refers to, in any thread.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(in crate::recorded) fn nearest_write(
        &self,
        calls: &mut Calls,
        at: EventPosition,
        direction: Direction,
    ) -> Result<Option<EventPosition>, SessionError> {
        let (at, known) = match self.variable {
            Variable::Local(node, _) => {
                let Some(at) = seen_from(calls, node, at)? else { return Ok(None) };
                (at, KnownLocals::before(None, calls, at)?)
            }
            Variable::Parts(..) => (at, None),
        };
        let mut scope = EventScope::of(calls, at, known.as_ref())?;
        Ok(nearest(&mut scope, direction, &self.variable)?.map(|(at, _)| at))
    }
}

/// A variable whose changes are marked in lists of events, and the contents of the collection that it refers
/// to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedVariable {
    variables: Vec<Variable>,
}

impl MarkedVariable {
    /// The variable that a name means before an event. `known` has variables from which reading goes on, and
    /// then those at the event.
    ///
    /// # Errors
    /// No variable has this name there, or the events cannot be read.
    pub(in crate::recorded) fn named(
        name: &str,
        calls: &mut Calls,
        at: EventPosition,
        known: &mut Option<KnownLocals>,
    ) -> Result<MarkedVariable, SessionError> {
        *known = KnownLocals::before(known.take(), calls, at)?;
        let mut scope = EventScope::of(calls, at, known.as_ref())?;
        let variable = scope.variable(name)?;
        let contents = scope.collection(&variable)?;
        let contents = contents.map(|(object, part)| Variable::Parts(object, vec![part]));
        Ok(MarkedVariable { variables: [variable].into_iter().chain(contents).collect() })
    }

    /// Whether an event writes it, and whether the call that the event makes does so below.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(in crate::recorded) fn is_written_by(
        &self,
        calls: &mut Calls,
        at: EventPosition,
        event: &EventShown,
    ) -> Result<(bool, bool), SessionError> {
        let (mut here, mut below) = (false, false);
        for variable in &self.variables {
            let (is_here, is_below) = writes(calls, at, event, variable)?;
            (here, below) = (here || is_here, below || is_below);
        }
        Ok((here, below))
    }
}

/// The position of a call at the time of an event: where it makes the call in which the event is, or its
/// nearer end.
fn seen_from(calls: &mut Calls, node: u32, at: EventPosition) -> Result<Option<EventPosition>, SessionError> {
    let around = std::iter::successors(Some(at), |at| calls.made_at(at.node)).find(|at| at.node == node);
    if around.is_some() {
        return Ok(around);
    }
    let Some(entry) = calls.entry(node) else { return Ok(None) };
    let is_before = calls.when_at(at)? < calls.when_at(entry)?;
    Ok(if is_before { Some(entry) } else { calls.end(node) })
}
