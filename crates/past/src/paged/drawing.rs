//! The recorded run as a picture: its threads, and when which calls ran.

use crate::error::PastError;
use crate::event_ref::EventRef;
use crate::lanes::{Lane, TimeWindow, lanes};
use crate::recording::Recording;
use serde::Serialize;
use trace::{EventPosition, TimeAxis};

/// A drawn run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnRun {
    /// Its threads.
    pub lanes: Vec<Lane>,
}

impl Recording {
    /// The time axis of the run.
    fn axis(&mut self) -> Result<&TimeAxis, PastError> {
        let axis = match self.kept.axis.take() {
            Some(axis) => axis,
            None => TimeAxis::of(&mut self.calls)?,
        };
        Ok(self.kept.axis.insert(axis))
    }

    /// When an event happened, as a fraction of the run.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn fraction(&mut self, at: EventPosition) -> Result<f64, PastError> {
        Ok(self.axis()?.fraction(at))
    }

    /// Draws a part of the run. `samples` is the number of times at which the running calls are looked up.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn drawn(&mut self, window: TimeWindow, samples: u32) -> Result<DrawnRun, PastError> {
        self.axis()?;
        let Some(axis) = self.kept.axis.take() else { return Ok(DrawnRun { lanes: Vec::new() }) };
        let drawn = lanes(self, &axis, window, samples);
        self.kept.axis = Some(axis);
        Ok(DrawnRun { lanes: drawn? })
    }

    /// When an event happened, as a fraction of the run, and the number of its thread.
    ///
    /// # Errors
    /// There is no such event, or the recording cannot be read.
    pub fn time_of(&mut self, event: EventRef) -> Result<(f64, u32), PastError> {
        let at = self.position(event)?;
        let thread = self.calls.thread_number(at.node).unwrap_or_default();
        Ok((self.fraction(at)?, thread))
    }
}
