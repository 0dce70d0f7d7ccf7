//! The recorded run as a picture: its threads, and when which calls ran.

use super::{RecordedViewer, Selection};
use crate::error::SessionError;
use inspect::lanes::{Lane, TimeWindow, lanes};
use serde::Serialize;
use trace::TimeAxis;

/// A drawn run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnRun {
    /// Its threads.
    pub lanes: Vec<Lane>,
}

impl RecordedViewer {
    /// The time axis of the run.
    pub(super) fn axis(&mut self) -> Result<&TimeAxis, SessionError> {
        let axis = match self.axis.take() {
            Some(axis) => axis,
            None => TimeAxis::of(&mut self.trace().calls)?,
        };
        Ok(self.axis.insert(axis))
    }

    /// Draws a part of the run. `samples` is the number of times at which the running calls are looked up.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn drawn(&mut self, window: TimeWindow, samples: u32) -> Result<DrawnRun, SessionError> {
        self.axis()?;
        let Some(axis) = &self.axis else { return Ok(DrawnRun { lanes: Vec::new() }) };
        Ok(DrawnRun { lanes: lanes(self.debugger.trace(), axis, window, samples)? })
    }

    /// When the selected event happened, as a fraction of the run, and the number of its thread.
    ///
    /// # Errors
    /// As [`RecordedViewer::position`].
    pub fn time_of(&mut self, selection: Selection) -> Result<(f64, u32), SessionError> {
        let at = self.position(selection)?;
        let thread = self.recording().calls.thread_number(at.node).unwrap_or_default();
        Ok((self.axis()?.fraction(at), thread))
    }
}
