//! Moves through a thread of a recording: by event, by line, by call, and to breakpoints, in both
//! directions. Each takes the position where it begins and returns the one where it ends.

use crate::breakpoints::{BreakpointPlace, Breakpoints};
use crate::direction::Direction;
use crate::error::PastError;
use crate::hits::{Hit, Search};
use crate::line_steps::{SourceLine, execution, neighbour};
use crate::recording::Recording;
use crate::thread_ends::{first_of_thread, last_of_thread, throws};
use crate::values::shown;
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
    /// Where it ended.
    pub at: EventPosition,
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

impl Recording {
    /// The next event of the call; at the end of the call, the next one of its caller.
    ///
    /// # Errors
    /// There is no such event, or it cannot be read.
    pub fn following_event(&mut self, at: EventPosition) -> Result<EventPosition, PastError> {
        if let Some(next) = self.calls.following(at)? {
            return Ok(next);
        }
        let behind = match self.calls.made_at(at.node) {
            Some(made) => self.calls.following(made)?,
            None => None,
        };
        behind.ok_or_else(|| PastError::NoStep("this thread has no later event".to_owned()))
    }

    /// The previous event of the call; at its entry, the event of its caller that makes the call.
    ///
    /// # Errors
    /// There is no such event, or it cannot be read.
    pub fn preceding_event(&mut self, at: EventPosition) -> Result<EventPosition, PastError> {
        match self.calls.preceding(at)? {
            Some(before) => Ok(before),
            None => self.caller_of(at),
        }
    }

    /// The next line of the call, or the previous one. If the call has none, that of its caller.
    ///
    /// # Errors
    /// There is no such line, lines were not recorded, or the events cannot be read.
    pub fn next_line(&mut self, at: EventPosition, direction: Direction) -> Result<EventPosition, PastError> {
        let found = neighbour(&mut self.calls, at, direction)?;
        let none = || format!("no line of this thread was recorded {}", direction.side());
        found.ok_or_else(|| PastError::NoStep(none()))
    }

    /// The next execution of a line in this thread, or the previous one.
    ///
    /// # Errors
    /// There is no such execution, lines were not recorded, or the events cannot be read.
    pub fn execution_from(
        &mut self,
        at: EventPosition,
        direction: Direction,
        line: &SourceLine,
    ) -> Result<EventPosition, PastError> {
        execution(&mut self.calls, at, direction, line)
    }

    /// The entry of the call that an event makes.
    ///
    /// # Errors
    /// It makes none.
    pub fn callee_of(&mut self, at: EventPosition) -> Result<EventPosition, PastError> {
        let made = self.calls.event_at(at, |_, seen| {
            seen.node.filter(|node| seen.site.what == Traced::Enter && *node != at.node)
        })?;
        let entry = made.flatten().and_then(|node| self.calls.entry(node));
        entry.ok_or_else(|| PastError::NoStep("no recorded call is made here".to_owned()))
    }

    /// The event of the caller that makes the call of a position.
    ///
    /// # Errors
    /// The caller was not recorded.
    pub fn caller_of(&self, at: EventPosition) -> Result<EventPosition, PastError> {
        let made = self.calls.made_at(at.node);
        made.ok_or_else(|| PastError::NoStep("this call has no recorded caller".to_owned()))
    }

    /// The entry of a call, by its number.
    ///
    /// # Errors
    /// There is no such call.
    pub fn entry_of(&self, call: u32) -> Result<EventPosition, PastError> {
        let no_such = PastError::NoSuchCall { node: call, calls: self.calls.count() };
        self.calls.entry(self.calls.own(call)).ok_or(no_such)
    }

    /// The end of the call of a position.
    ///
    /// # Errors
    /// It was not recorded.
    pub fn end_of_call(&self, at: EventPosition) -> Result<EventPosition, PastError> {
        let end = self.calls.end(at.node);
        end.ok_or_else(|| PastError::NoStep("the end of this call was not recorded".to_owned()))
    }

    /// Where a debugger stands first: at the end of the thread that recorded the first call.
    ///
    /// # Errors
    /// Nothing was recorded, or the events cannot be read.
    pub fn start(&mut self) -> Result<EventPosition, PastError> {
        let nothing = || PastError::NoStep("the recording has no calls".to_owned());
        let at = self.calls.entry(0).ok_or_else(nothing)?;
        last_of_thread(&mut self.calls, at)
    }

    /// A position as the end of a move.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn standing(&mut self, at: EventPosition) -> Result<Stop, PastError> {
        let last = last_of_thread(&mut self.calls, at)?;
        let reason = if at == last { self.kind_of_end(at)? } else { StopReason::Step };
        self.stop(at, reason)
    }

    /// The first line of the thread.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn to_beginning(&mut self, at: EventPosition) -> Result<Stop, PastError> {
        let entry = first_of_thread(&self.calls, at);
        let first = self.calls.first_event_after(entry, |_, seen| is_line(seen.site.what))?;
        self.stop(first.unwrap_or(entry), StopReason::Beginning)
    }

    /// The last event of the thread: the throw of the exception that ended it, if one did.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn to_end(&mut self, at: EventPosition) -> Result<Stop, PastError> {
        let last = last_of_thread(&mut self.calls, at)?;
        let reason = self.kind_of_end(last)?;
        self.stop(last, reason)
    }

    /// Moves. Where the thread has no such place, the move ends at its beginning or its end. A step also ends
    /// at a breakpoint that lies before its end.
    ///
    /// # Errors
    /// Lines were not recorded, the events cannot be read, or the user interrupted.
    pub fn go(
        &mut self,
        from: EventPosition,
        to: Move,
        breakpoints: &mut Breakpoints,
        is_interrupted: &dyn Fn() -> bool,
    ) -> Result<Stop, PastError> {
        let (calls, mut at) = (&mut self.calls, from);
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
        let search = Search { from, direction, until: place };
        if let Some(hit) = self.nearest_hit(&search, breakpoints, is_interrupted)? {
            let stop = self.stop(hit.at, reason_of(&hit, breakpoints))?;
            return Ok(Stop { hits: hit.ids, problem: hit.problem, ..stop });
        }
        match place {
            Some(place) => self.stop(place, StopReason::Step),
            None if direction == Direction::Back => self.to_beginning(from),
            None => self.to_end(from),
        }
    }

    /// A position as the end of a move with this reason.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn stop(&mut self, at: EventPosition, reason: StopReason) -> Result<Stop, PastError> {
        let thread = self.calls.thread_number(at.node).unwrap_or_default();
        let exception = match reason {
            StopReason::Exception | StopReason::Thrown => self.calls.event_at(at, |calls, seen| {
                seen.values.first().map(|exception| shown(exception, &calls.objects))
            })?,
            _ => None,
        };
        let (hits, problem) = (Vec::new(), None);
        Ok(Stop { at, reason, thread, exception: exception.flatten(), hits, problem })
    }

    fn kind_of_end(&mut self, at: EventPosition) -> Result<StopReason, PastError> {
        let is_throw = self.calls.event_at(at, |_, seen| throws(seen.site.what))?;
        Ok(if is_throw == Some(true) { StopReason::Exception } else { StopReason::End })
    }
}

fn reason_of(hit: &Hit, breakpoints: &Breakpoints) -> StopReason {
    match breakpoints.first_place(&hit.ids) {
        Some(BreakpointPlace::Method(_)) => StopReason::Method,
        Some(BreakpointPlace::Thrown(_)) => StopReason::Thrown,
        Some(BreakpointPlace::Changed(..)) => StopReason::Changed,
        Some(BreakpointPlace::Line(_)) | None => StopReason::Breakpoint,
    }
}

/// Where the line of a position begins. A step back leads to the line before, also from the middle of a line.
pub(crate) fn begin_of_line(calls: &mut Calls, at: EventPosition) -> Result<EventPosition, PastError> {
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
