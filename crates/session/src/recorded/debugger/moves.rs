//! Moves through a thread of a recording: by line, by call, and to breakpoints, in both directions.

use super::RecordedDebugger;
use super::breakpoints::BreakpointPlace;
use super::hits::Hit;
use super::thread_ends::{first_of_thread, last_of_thread, throws};
use crate::context::Context;
use crate::error::SessionError;
use crate::recorded::step::{Direction, neighbour};
use inspect::values::shown;
use trace::{Calls, EventPosition, Traced};

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// To the next line of this call, or of its caller.
    Next,
    /// To the next line of any call.
    StepIn,
    /// To the next line of the caller.
    StepOut,
    /// To the previous line of this call, or of its caller.
    StepBack,
    /// To the previous line of any call.
    StepBackInto,
    /// To the line of the caller that makes this call.
    StepBackOut,
    /// To the next breakpoint.
    Continue,
    /// To the previous breakpoint.
    ReverseContinue,
}

/// Which execution of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The last one before the current position.
    Previous,
    /// The first one after it.
    Next,
    /// The first one of the thread.
    First,
    /// The last one of the thread.
    Last,
}

/// Why a move ended where it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The line of a step.
    Step,
    /// A breakpoint on a line.
    Breakpoint,
    /// A breakpoint on a method.
    Method,
    /// A breakpoint on exceptions.
    Thrown,
    /// A breakpoint on a variable.
    Changed,
    /// The place to which the user wanted to go.
    Goto,
    /// The beginning of a call that the user wanted to see again.
    Restart,
    /// The first line of the thread.
    Beginning,
    /// The last event of the thread.
    End,
    /// The place where the exception was thrown that ended the thread.
    Exception,
}

/// The end of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why it ended there.
    pub reason: StopReason,
    /// The number of the thread.
    pub thread: u32,
    /// The exception, of [`StopReason::Exception`] and [`StopReason::Thrown`].
    pub exception: Option<String>,
    /// The breakpoints that are hit.
    pub hits: Vec<i64>,
    /// Why the condition of one of them has no value here.
    pub problem: Option<String>,
}

impl RecordedDebugger {
    /// The current position.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn standing(&mut self) -> Result<Stop, SessionError> {
        let last = last_of_thread(&mut self.trace.calls, self.at)?;
        let reason = if self.at == last { self.kind_of_end()? } else { StopReason::Step };
        self.stop(reason)
    }

    /// Moves to the first line of the thread.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn to_beginning(&mut self) -> Result<Stop, SessionError> {
        let calls = &mut self.trace.calls;
        let entry = first_of_thread(calls, self.at);
        let first = calls.first_event_after(entry, |_, seen| is_line(seen.site.what))?;
        self.at = first.unwrap_or(entry);
        self.stop(StopReason::Beginning)
    }

    /// Moves to the last event of the thread; to the throw of the exception that ended it, if one did.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn to_end(&mut self) -> Result<Stop, SessionError> {
        self.at = last_of_thread(&mut self.trace.calls, self.at)?;
        let reason = self.kind_of_end()?;
        self.stop(reason)
    }

    /// Moves. Where the thread has no such place, moves to its beginning or its end. A step also ends at a
    /// breakpoint that lies before its end.
    ///
    /// # Errors
    /// Lines were not recorded, the events cannot be read, or the user interrupted.
    pub async fn go(&mut self, to: Move, context: &Context) -> Result<Stop, SessionError> {
        let (calls, mut at) = (&mut self.trace.recording.calls, self.at);
        if matches!(to, Move::StepBack | Move::StepBackInto) {
            at = begin_of_line(calls, at)?;
        }
        let outer = |calls: &mut Calls, direction| match calls.made_at(at.node) {
            Some(made) => neighbour(calls, made, direction),
            None => Ok(None),
        };
        let (direction, place) = match to {
            Move::Next => (Direction::Forward, neighbour(calls, at, Direction::Forward)?),
            Move::StepBack => (Direction::Back, neighbour(calls, at, Direction::Back)?),
            Move::StepOut => (Direction::Forward, outer(calls, Direction::Forward)?),
            Move::StepBackOut => (Direction::Back, outer(calls, Direction::Back)?),
            Move::StepIn => {
                (Direction::Forward, calls.first_event_after(at, |_, seen| is_line(seen.site.what))?)
            }
            Move::StepBackInto => {
                (Direction::Back, calls.last_event_before(at, |_, seen| is_line(seen.site.what))?)
            }
            Move::Continue => (Direction::Forward, None),
            Move::ReverseContinue => (Direction::Back, None),
        };
        let hit = self.nearest_hit(direction, place, context).await?;
        if let Some(hit) = hit {
            self.at = hit.at;
            let reason = self.reason_of(&hit);
            return Ok(Stop { hits: hit.ids, problem: hit.problem, ..self.stop(reason)? });
        }
        match place {
            Some(place) => {
                self.at = place;
                self.stop(StopReason::Step)
            }
            None if direction == Direction::Back => self.to_beginning(),
            None => self.to_end(),
        }
    }

    fn reason_of(&self, hit: &Hit) -> StopReason {
        let first = self.breakpoints.iter().find(|known| hit.ids.contains(&known.id));
        match first.map(|known| &known.request.place) {
            Some(BreakpointPlace::Method(_)) => StopReason::Method,
            Some(BreakpointPlace::Thrown(_)) => StopReason::Thrown,
            Some(BreakpointPlace::Changed(_)) => StopReason::Changed,
            Some(BreakpointPlace::Line(_)) | None => StopReason::Breakpoint,
        }
    }

    pub(super) fn stop(&mut self, reason: StopReason) -> Result<Stop, SessionError> {
        let thread = self.trace.calls.thread_number(self.at.node).unwrap_or_default();
        let exception = match reason {
            StopReason::Exception | StopReason::Thrown => {
                self.trace.calls.event_at(self.at, |calls, seen| {
                    seen.values.first().map(|exception| shown(exception, &calls.objects))
                })?
            }
            _ => None,
        };
        let (hits, problem) = (Vec::new(), None);
        Ok(Stop { reason, thread, exception: exception.flatten(), hits, problem })
    }

    fn kind_of_end(&mut self) -> Result<StopReason, SessionError> {
        let is_throw = self.trace.calls.event_at(self.at, |_, seen| throws(seen.site.what))?;
        Ok(if is_throw == Some(true) { StopReason::Exception } else { StopReason::End })
    }
}

/// Where the line of a position begins. A step back leads to the line before, also from the middle of a line.
pub(super) fn begin_of_line(calls: &mut Calls, at: EventPosition) -> Result<EventPosition, SessionError> {
    let here = calls.event_at(at, |_, seen| (is_line(seen.site.what), seen.line()))?;
    let Some((false, Some(line))) = here else { return Ok(at) };
    let Some(before) = neighbour(calls, at, Direction::Back)? else { return Ok(at) };
    let is_same =
        before.node == at.node && calls.event_at(before, |_, seen| seen.line())?.flatten() == Some(line);
    Ok(if is_same { before } else { at })
}

fn is_line(what: Traced) -> bool {
    matches!(what, Traced::Line(_))
}
