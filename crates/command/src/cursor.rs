//! Where a front end stands in a recording. What is there, and where moves lead, tells the room `past`.

use crate::CommandError;
use chain::SourcePaths;
use past::{Breakpoints, Moment, Move, Stop};
use recorded::RecordedTrace;
use session::Context;
use trace::EventPosition;

/// A position in a recording, with breakpoints.
pub struct Cursor {
    /// The recording.
    pub trace: RecordedTrace,
    /// The position.
    pub at: EventPosition,
    /// The breakpoints.
    pub breakpoints: Breakpoints,
}

impl Cursor {
    /// Begins at the end of the thread that recorded the first call. Sources are looked for in these folders
    /// too.
    ///
    /// # Errors
    /// Nothing was recorded, or the events cannot be read.
    pub fn new(trace: RecordedTrace, sources: &SourcePaths) -> Result<Cursor, CommandError> {
        let mut trace = trace.with_code(sources);
        let at = trace.start()?;
        Ok(Cursor { trace, at, breakpoints: Breakpoints::default() })
    }

    /// The moment here, in the innermost frame.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn moment(&mut self) -> Result<Moment, CommandError> {
        Ok(self.trace.moment(self.at)?)
    }

    /// The moment here, in a frame of the stack.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn moment_in(&mut self, frame: EventPosition) -> Result<Moment, CommandError> {
        Ok(Moment { at: frame, ..self.moment()? })
    }

    /// Moves.
    ///
    /// # Errors
    /// Lines were not recorded, the events cannot be read, or the user interrupted; the position stays.
    pub fn go(&mut self, to: Move, context: &Context) -> Result<Stop, CommandError> {
        let is_interrupted = || context.is_interrupted();
        let stop = self.trace.go(self.at, to, &mut self.breakpoints, &is_interrupted)?;
        Ok(self.stand(stop))
    }

    /// Stands where a move has ended.
    pub fn stand(&mut self, stop: Stop) -> Stop {
        self.at = stop.at;
        stop
    }
}
