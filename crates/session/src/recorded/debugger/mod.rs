//! A recording as a debugger shows it: threads, stacks and variables at a position, and moves in both
//! directions. Editors use it; the stepper of `qp trace step` shows single events instead.
//!
//! - [`RecordedDebugger`] holds the position. `moves` finds the next one; `breakpoints` says where
//!   breakpoints are, and `hits` where they are hit. `log_points` prints their texts.
//! - `stack` and `variables` show what is there, `expressions` evaluates, `thrown` tells of an exception.
//! - `cause` asks backwards: what last wrote a variable, which condition led here.
//! - `thread_ends` finds the beginning and the end of a thread, `places` lists lines, sources and calls to
//!   which one can go, and `code` has the class files.

mod breakpoints;
mod cause;
mod code;
mod expressions;
mod hits;
mod log_points;
mod moves;
mod places;
mod stack;
mod thread_ends;
mod thrown;
mod variables;

pub use breakpoints::{
    BreakpointGroup, BreakpointPlace, BreakpointRequest, BreakpointState, HitCount, ThrownPlace,
};
pub use cause::{Cause, CauseKind};
pub use log_points::{Printed, PrintedHit};
pub use moves::{Move, Stop, StopReason, Which};
pub use places::CallOfLine;
pub use stack::{Frame, FrameSource, RecordedThread};
pub use thrown::ThrownException;
pub use variables::{HeldVariable, UNDIVIDED, VariableGroup};

use super::open::RecordedTrace;
use crate::context::Context;
use crate::error::SessionError;
use crate::recorded::step::event_at;
use breakpoints::{Breakpoint, is_named};
use classes::{SourcePaths, SourceRoots};
use code::CodeOfRecording;
use inspect::event::EventShown;
use inspect::fields::Fields;
use inspect::locals::KnownLocals;
use std::collections::HashMap;
use trace::{Calls, EventPosition, EventTime};

/// A position in a recording, with breakpoints.
pub struct RecordedDebugger {
    trace: RecordedTrace,
    sources: Option<SourceRoots>,
    code: CodeOfRecording,
    at: EventPosition,
    /// The variables of the call at the last position where they were asked for.
    known: Option<KnownLocals>,
    breakpoints: Vec<Breakpoint>,
    /// The number of the next breakpoint.
    next_id: i64,
}

impl RecordedDebugger {
    /// Starts at the end of the thread that recorded the first call. It looks for sources in these folders
    /// too.
    ///
    /// # Errors
    /// Nothing was recorded, or the events cannot be read.
    pub fn new(mut trace: RecordedTrace, sources: &SourcePaths) -> Result<RecordedDebugger, SessionError> {
        let nothing = || SessionError::NoStep("the recording has no calls".to_owned());
        let at = trace.calls.entry(0).ok_or_else(nothing)?;
        let (sources, code) = (trace.sources(sources), CodeOfRecording::new(trace.class_files()));
        let at = thread_ends::last_of_thread(&mut trace.calls, at)?;
        let (known, breakpoints, next_id) = (None, Vec::new(), 1);
        Ok(RecordedDebugger { trace, sources, code, at, known, breakpoints, next_id })
    }

    /// The recording.
    pub(in crate::recorded) fn trace(&mut self) -> &mut RecordedTrace {
        &mut self.trace
    }

    /// The recording, to look at it.
    pub(in crate::recorded) fn recording(&self) -> &RecordedTrace {
        &self.trace
    }

    /// The calls of the recording, and the fields of its classes.
    pub(in crate::recorded) fn calls_and_fields(&mut self) -> (&mut Calls, &mut Fields) {
        (&mut self.trace.recording.calls, &mut self.code.fields)
    }

    /// Variables of a call at an earlier event, from which reading goes on.
    pub(in crate::recorded) fn remember(&mut self, known: Option<KnownLocals>) {
        self.known = known;
    }

    /// The event at a position.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(in crate::recorded) fn shown_event(&mut self, at: EventPosition) -> Result<EventShown, SessionError> {
        event_at(&mut self.trace, at)
    }

    /// The reasons why parts of the run are missing.
    pub fn missing(&self) -> Vec<String> {
        self.trace.missing()
    }

    /// Opens the recording once more.
    ///
    /// # Errors
    /// It cannot be read, or the user interrupted the work.
    pub async fn reopened(&self, context: &Context) -> Result<RecordedTrace, SessionError> {
        self.trace.reopened(context).await
    }

    /// The current position.
    pub fn position(&self) -> EventPosition {
        self.at
    }

    /// Replaces the breakpoints of a group. The states are in the order of the requests.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn set_breakpoints(
        &mut self,
        group: &BreakpointGroup,
        requests: Vec<BreakpointRequest>,
    ) -> Result<Vec<BreakpointState>, SessionError> {
        // A breakpoint that stays keeps its number and what is known of it.
        let (mut old, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.breakpoints).into_iter().partition(|known| known.group == *group);
        self.breakpoints = others;
        let mut states = Vec::new();
        for request in requests {
            let known = old.iter().position(|known| known.request == request);
            let breakpoint = match known {
                Some(known) => old.swap_remove(known),
                None => {
                    self.next_id += 1;
                    Breakpoint {
                        id: self.next_id - 1,
                        group: group.clone(),
                        request,
                        conditions: HashMap::new(),
                        numbers: None,
                    }
                }
            };
            let problem = self.problem(&breakpoint.request);
            states.push(BreakpointState { id: breakpoint.id, problem });
            self.breakpoints.push(breakpoint);
        }
        Ok(states)
    }

    /// Why a breakpoint is never hit, if that is certain.
    fn problem(&self, request: &BreakpointRequest) -> Option<String> {
        let calls = &self.trace.recording.calls;
        let parses = |text: &String| match expr::Expr::parse(text) {
            Ok(_) => None,
            Err(error) => Some(format!("the condition `{text}` is no Java expression: {error}")),
        };
        if let Some(problem) = request.condition.as_ref().and_then(parses) {
            return Some(problem);
        }
        match &request.place {
            BreakpointPlace::Line(line) => {
                let is_recorded = calls.sites.all().any(|site| {
                    site.line.map(u32::from) == Some(line.line)
                        && calls.sites.method(site.method).is_some_and(|method| line.is_of(&method.class))
                });
                (!is_recorded).then(|| "no code of this line was recorded".to_owned())
            }
            BreakpointPlace::Method(name) => {
                let is_recorded = calls.sites.methods().iter().any(|method| is_named(method, name));
                (!is_recorded).then(|| "no recorded method has this name".to_owned())
            }
            BreakpointPlace::Thrown(_) | BreakpointPlace::Changed(_) => None,
        }
    }

    /// The time of an event.
    fn when(&mut self, at: EventPosition) -> Result<EventTime, SessionError> {
        Ok(self.trace.recording.calls.when_at(at)?)
    }
}
